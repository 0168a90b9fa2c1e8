/**
 * Idempotency keys: a request repeated with its key gets the answer of the first one for 24 hours. The
 * first request writes an entry with a seed before it does anything, and everything it makes takes its id
 * from that seed: when it dies half-way, the repeat goes on with the same seed and makes nothing twice.
 */
import { createHash } from 'node:crypto';
import type { Context } from './context.js';
import { AppError, errorText } from './errors.js';
import { newSeed } from './ids.js';

const KEPT_MS = 24 * 60 * 60_000;
/** How long after the death of its process a repeat may go on in a request's place. */
const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_500;

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
  /** Until when, in ms since 1970, the request is taken to be running; renewed while it is. */
  leasedUntil: number;
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

  const lease = keepLease(context, key, claimed);
  const conclude = async (outcome: Partial<Entry<Body>> | null) => {
    const held = await lease.end();
    await replace(context, key, held, outcome && { ...held, ...outcome });
  };
  let answer: Answer<Body>;
  try {
    answer = await run(claimed.seed);
  } catch (error) {
    const refused = error instanceof AppError && error.status < 500;
    // A failure of ours may have left something behind, and its repeat must find the same seed.
    await conclude(refused ? null : { leasedUntil: 0 }).catch(() => undefined);
    throw error;
  }
  // What is done is done: a repeat that does not find the answer gets the same one from the same seed.
  await conclude({ answer }).catch((error: unknown) => {
    context.log.warn('answer not kept for its idempotency key', { fault: errorText(error) });
  });
  return { ...answer, replayed: false };
}

/** Renews the lease again and again; `end` resolves to the entry as it then stands. */
function keepLease<Body>(context: Context, key: string, claimed: Entry<Body>) {
  let held = claimed;
  let renewing: Promise<void> | null = null;
  const renew = async () => {
    const renewed = { ...held, leasedUntil: context.now() + LEASE_MS };
    if (await replace(context, key, held, renewed)) held = renewed;
  };
  const timer = setInterval(() => {
    renewing ??= renew()
      .catch(() => undefined) // without it, a repeat goes on with the same seed
      .finally(() => (renewing = null));
  }, RENEW_EVERY_MS);
  return {
    async end() {
      clearInterval(timer);
      await renewing;
      return held;
    },
  };
}

async function replace<Body>(
  { redis }: Context,
  key: string,
  seen: Entry<Body>,
  next: Entry<Body> | null,
): Promise<boolean> {
  const text = next ? JSON.stringify(next) : '';
  return (await redis.eval(REPLACE, 1, key, JSON.stringify(seen), text)) === 1;
}

async function claim<Body>(context: Context, key: string, bodyHash: string): Promise<Entry<Body>> {
  const now = context.now();
  const fresh: Entry<Body> = {
    bodyHash,
    seed: newSeed(now),
    leasedUntil: now + LEASE_MS,
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
    const renewed = { ...entry, leasedUntil: fresh.leasedUntil };
    if (entry.leasedUntil <= now && (await replace(context, key, entry, renewed))) return renewed;
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
