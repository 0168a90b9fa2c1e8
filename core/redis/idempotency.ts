/**
 * Idempotency keys: a repeated request with the same key gets the first response for 24 hours. The
 * first request stores an entry with a seed before it changes anything, and derives every id from
 * that seed. If it crashes, its repeat uses the same seed and creates nothing twice. The same holds
 * for a repeat that runs concurrently with a request that takes longer than {@link RUNNING_MS}.
 */
import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { AppError, errorText } from '../errors.ts';
import { newSeed } from '../ids.ts';
import type { Logger } from '../log.ts';
import type { RedisClient } from './client.ts';

const KEPT_MS = 24 * 60 * 60_000;
/**
 * A repeat is rejected for this long while the first request runs. After that, the process of the
 * first request may have died.
 */
const RUNNING_MS = 15_000;

/** What the entries need of a context. */
interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly redis: RedisClient;
}

export interface IdempotentRequest {
  /** Id of the workspace, or of a narrow token. */
  owner: string;
  /** The operation, for example `POST /api/mailboxes`. */
  operation: string;
  key: string;
  body: unknown;
}

/** The response of the request. */
export interface Answer<Body> {
  status: number;
  body: Body;
  /** False for a response that changed nothing: a repeat is performed again. */
  isKept?: boolean;
}

interface Entry<Body> {
  bodyHash: string;
  seed: string;
  /** Milliseconds since 1970. */
  runningUntil: number;
  answer: Answer<Body> | null;
}

/** Replaces the entry if it has not changed since it was read. */
const REPLACE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') end
return 1`;

/**
 * Runs the request once per key. Responses with a 4xx status are not stored: they changed nothing.
 * @throws {AppError} `idempotency_mismatch` for another body, `request_running` while the first
 *   request is in progress, `unavailable` if Redis is unavailable.
 */
export async function once<Body>(
  context: Parts,
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
    // After a server error something may have been stored, so the repeat must use the same seed.
    await conclude(isRefusal ? null : { ...claimed, runningUntil: 0 }).catch(() => undefined);
    throw error;
  }
  // The request succeeded. A repeat without a stored response derives the same one from the seed.
  const isKept = answer.isKept ?? true;
  await conclude(isKept ? { ...claimed, answer } : null).catch((error: unknown) => {
    context.log.warn('idempotent response not stored', { fault: errorText(error) });
  });
  return { ...answer, replayed: false };
}

async function replace<Body>(
  { redis }: Pick<Parts, 'redis'>,
  key: string,
  seen: Entry<Body>,
  next: Entry<Body> | null,
): Promise<boolean> {
  const text = next ? JSON.stringify(next) : '';
  return (await redis.eval(REPLACE, 1, key, JSON.stringify(seen), text)) === 1;
}

async function claim<Body>(
  context: Pick<Parts, 'now' | 'redis'>,
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
    // The entry was written, but the reply was lost with the connection and ioredis sent the
    // command again.
    if (seen === ours) return fresh;
    if (seen === null) return await claim<Body>(context, key, bodyHash); // the entry was removed meanwhile
    const entry = JSON.parse(seen) as Entry<Body>;
    if (entry.bodyHash !== bodyHash) {
      throw new AppError(
        'idempotency_mismatch',
        'This Idempotency-Key was used with a different request body. Use a new key.',
      );
    }
    if (entry.answer) return entry;
    const taken = { ...entry, runningUntil: fresh.runningUntil };
    if (entry.runningUntil <= now && (await replace(context, key, entry, taken))) return taken;
    throw new AppError(
      'request_running',
      'The first request with this Idempotency-Key is still being processed. Retry in a few seconds.',
    );
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'unavailable',
      'Idempotency keys are temporarily unavailable. Retry in a few seconds.',
      {
        cause: error,
      },
    );
  }
}

function entryKey(prefix: string, { owner, operation, key }: IdempotentRequest): string {
  return `${prefix}:idempotency:${hash(JSON.stringify([owner, operation, key]))}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
