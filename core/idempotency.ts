/**
 * Idempotency keys: a request repeated with its key gets the answer of the first one for 24 hours. The first
 * request writes an entry with a seed before it changes anything, and every id it makes comes from that seed. The
 * repeat of a request that died takes the same seed and makes nothing twice; so does a repeat that runs beside one
 * that takes longer than {@link RUNNING_MS}.
 */
import { createHash } from 'node:crypto';
import type { Context } from './context.js';
import { AppError, errorText } from './errors.js';
import { newSeed } from './ids.js';

const KEPT_MS = 24 * 60 * 60_000;
/** A repeat is refused for this long, unless the first request ends earlier: its process may have died. */
const RUNNING_MS = 15_000;

export interface IdempotentRequest {
  workspaceId: string;
  /** What is being done, such as `POST /api/mailboxes`. */
  operation: string;
  key: string;
  body: unknown;
}

/** What the request answered. */
export interface Answer<Body> {
  status: number;
  body: Body;
}

interface Entry<Body> {
  bodyHash: string;
  seed: string;
  /** Milliseconds since 1970. */
  runningUntil: number;
  answer: Answer<Body> | null;
}

/** Replaces the entry only while it is the one that was read. */
const REPLACE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') end
return 1`;

/**
 * Runs the request once for its key. A refusal (a status below 500) is not kept: it changed nothing.
 * @throws {AppError} `idempotency_mismatch` for another body, `request_running` while the first one is
 *   being served, `unavailable` while Redis is away.
 */
export async function once<Body>(
  context: Context,
  request: IdempotentRequest,
  run: (seed: string) => Promise<Answer<Body>>,
): Promise<Answer<Body> & { replayed: boolean }> {
  const key = entryKey(context.config.redisPrefix, request);
  const claimed = await claim<Body>(context, key, hash(JSON.stringify(request.body ?? null)));
  if (claimed.answer) return { ...claimed.answer, replayed: true };

  const conclude = (next: Entry<Body> | null) => replace(context, key, claimed, next);
  let answer: Answer<Body>;
  try {
    answer = await run(claimed.seed);
  } catch (error) {
    const isRefusal = error instanceof AppError && error.status < 500;
    // After a failure of ours something may be stored already: the repeat must find the same seed.
    await conclude(isRefusal ? null : { ...claimed, runningUntil: 0 }).catch(() => undefined);
    throw error;
  }
  // The request succeeded: a repeat that finds no answer makes the same one from the same seed.
  await conclude({ ...claimed, answer }).catch((error: unknown) => {
    context.log.warn('answer not kept for its idempotency key', { fault: errorText(error) });
  });
  return { ...answer, replayed: false };
}

async function replace<Body>(
  { redis }: Pick<Context, 'redis'>,
  key: string,
  seen: Entry<Body>,
  next: Entry<Body> | null,
): Promise<boolean> {
  const text = next ? JSON.stringify(next) : '';
  return (await redis.eval(REPLACE, 1, key, JSON.stringify(seen), text)) === 1;
}

async function claim<Body>(
  context: Pick<Context, 'now' | 'redis'>,
  key: string,
  bodyHash: string,
): Promise<Entry<Body>> {
  const now = context.now();
  const fresh: Entry<Body> = {
    bodyHash,
    seed: newSeed(now),
    runningUntil: now + RUNNING_MS,
    answer: null,
  };
  const ours = JSON.stringify(fresh);
  try {
    if (await context.redis.set(key, ours, 'PX', KEPT_MS, 'NX')) return fresh;
    const seen = await context.redis.get(key);
    // Written, but the reply was lost with the connection, and the command sent again on the next one.
    if (seen === ours) return fresh;
    if (seen === null) return await claim<Body>(context, key, bodyHash); // it ended in this moment
    const entry = JSON.parse(seen) as Entry<Body>;
    if (entry.bodyHash !== bodyHash) {
      throw new AppError(
        'idempotency_mismatch',
        'This Idempotency-Key was used with another body.',
      );
    }
    if (entry.answer) return entry;
    const taken = { ...entry, runningUntil: fresh.runningUntil };
    if (entry.runningUntil <= now && (await replace(context, key, entry, taken))) return taken;
    throw new AppError(
      'request_running',
      'The first request with this Idempotency-Key is still running.',
    );
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('unavailable', 'Idempotency keys cannot be kept at the moment.', {
      cause: error,
    });
  }
}

function entryKey(prefix: string, { workspaceId, operation, key }: IdempotentRequest): string {
  return `${prefix}:idempotency:${hash(JSON.stringify([workspaceId, operation, key]))}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
