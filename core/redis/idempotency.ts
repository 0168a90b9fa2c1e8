/**
 * Idempotency keys: a repeated request with the same key creates nothing for 24 hours. The first
 * request stores an entry with a seed before it changes anything, and derives every id from that
 * seed. If it crashes, its repeat uses the same seed and creates nothing twice. The same holds for
 * a repeat that runs concurrently with a request that takes longer than {@link RUNNING_MS}.
 *
 * An entry keeps ids, and a repeat reads again what they stand for. A workspace has a limited
 * number of concluded entries, because Redis holds them: a sorted set lists them by time, with a
 * member for each started {@link SHARE_BYTES}. Running requests and those that ended with a 5xx are
 * not listed, so they are never removed before their time.
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

/** Members in the list of a workspace. */
const MAX_SHARES = 10_000;
/** Bytes of an entry for each member. With key and member, Redis holds at most 800 bytes for it. */
const SHARE_BYTES = 400;

/** What the entries need of a context. */
interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly redis: RedisClient;
}

export interface IdempotentRequest {
  workspaceId: string;
  /** Id of the workspace, or of a narrow token. */
  owner: string;
  /** The operation, for example `POST /api/mailboxes`. */
  operation: string;
  key: string;
  body: unknown;
}

export interface IdempotentResponse<Body> {
  status: number;
  body: Body;
}

/** The response of a request that was performed. */
export interface OperationResult<Body, Kept> extends IdempotentResponse<Body> {
  /**
   * The ids from which a repeat makes its response, as JSON. Null if the request created nothing: a
   * repeat is performed again.
   */
  kept: Kept | null;
}

/** What a request does. */
export interface IdempotentOperation<Body, Kept> {
  run: (seed: string) => Promise<OperationResult<Body, Kept>>;
  /** Answers a repeat with what the first run has kept. */
  repeat: (
    kept: Kept,
    seed: string,
  ) => IdempotentResponse<Body> | Promise<IdempotentResponse<Body>>;
}

interface Entry<Kept> {
  bodyHash: string;
  seed: string;
  /** Milliseconds since 1970. */
  runningUntil: number;
  kept: Kept | null;
}

const UNLESS_CHANGED = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end`;

/** Replaces the entry if it has not changed since it was read. */
const REPLACE = `${UNLESS_CHANGED}
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') end
return 1`;

/** Same, for a concluded entry: lists it, and removes the oldest ones above the limit. */
const CONCLUDE = `${UNLESS_CHANGED}
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
local now = tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ${KEPT_MS})
for share = 1, math.ceil(#ARGV[2] / ${SHARE_BYTES}) do
  redis.call('ZADD', KEYS[2], now, share .. ' ' .. KEYS[1])
end
redis.call('PEXPIRE', KEYS[2], ${KEPT_MS})
local excess = redis.call('ZCARD', KEYS[2]) - ${MAX_SHARES}
while excess > 0 do
  local oldest = redis.call('ZPOPMIN', KEYS[2])[1]
  redis.call('DEL', string.sub(oldest, string.find(oldest, ' ') + 1))
  excess = excess - 1
end
return 1`;

/**
 * Runs the request once per key. Responses with a 4xx status are not stored: they changed nothing.
 * @throws {AppError} `idempotency_mismatch` for another body, `request_running` while the first
 *   request is in progress, `unavailable` if Redis is unavailable.
 */
export async function runIdempotent<Body, Kept>(
  context: Parts,
  request: IdempotentRequest,
  { run, repeat }: IdempotentOperation<Body, Kept>,
): Promise<IdempotentResponse<Body> & { replayed: boolean }> {
  const key = entryKey(context.config.redisPrefix, request);
  const claimed = await claim<Kept>(context, key, hash(JSON.stringify(request.body ?? null)));
  if (claimed.kept !== null) {
    return { ...(await repeat(claimed.kept, claimed.seed)), replayed: true };
  }
  let outcome: OperationResult<Body, Kept>;
  try {
    outcome = await run(claimed.seed);
  } catch (error) {
    const isRefusal = error instanceof AppError && error.status < 500;
    // After a server error something may have been stored, so the repeat must use the same seed.
    const next = isRefusal ? null : { ...claimed, runningUntil: 0 };
    await replace(context, key, claimed, next).catch(() => undefined);
    throw error;
  }
  // The request succeeded. A repeat that finds no outcome derives the same one from the seed.
  const { kept, ...answer } = outcome;
  const concluded =
    kept === null
      ? replace(context, key, claimed, null)
      : conclude(context, request, key, claimed, { ...claimed, kept });
  await concluded.catch((error: unknown) => {
    context.log.warn('idempotent response not stored', { fault: errorText(error) });
  });
  return { ...answer, replayed: false };
}

async function conclude<Kept>(
  { config, now, redis }: Pick<Parts, 'config' | 'now' | 'redis'>,
  { workspaceId }: IdempotentRequest,
  key: string,
  seen: Entry<Kept>,
  next: Entry<Kept>,
): Promise<void> {
  const list = `${config.redisPrefix}:idempotency-list:${workspaceId}`;
  const [old, text] = [JSON.stringify(seen), JSON.stringify(next)];
  await redis.eval(CONCLUDE, 2, key, list, old, text, now());
}

async function replace<Kept>(
  { redis }: Pick<Parts, 'redis'>,
  key: string,
  seen: Entry<Kept>,
  next: Entry<Kept> | null,
): Promise<boolean> {
  const text = next ? JSON.stringify(next) : '';
  return (await redis.eval(REPLACE, 1, key, JSON.stringify(seen), text)) === 1;
}

async function claim<Kept>(
  context: Pick<Parts, 'now' | 'redis'>,
  key: string,
  bodyHash: string,
): Promise<Entry<Kept>> {
  const now = context.now();
  const fresh: Entry<Kept> = {
    bodyHash,
    seed: newSeed(now),
    runningUntil: now + RUNNING_MS,
    kept: null,
  };
  const ours = JSON.stringify(fresh);
  try {
    if (await context.redis.set(key, ours, 'PX', KEPT_MS, 'NX')) return fresh;
    const seen = await context.redis.get(key);
    // The entry was written, but the reply was lost with the connection and ioredis sent the
    // command again.
    if (seen === ours) return fresh;
    if (seen === null) return await claim<Kept>(context, key, bodyHash); // the entry was removed meanwhile
    const entry = JSON.parse(seen) as Entry<Kept>;
    if (entry.bodyHash !== bodyHash) {
      throw new AppError(
        'idempotency_mismatch',
        'This Idempotency-Key was used with a different request body. Use a new key.',
      );
    }
    if (entry.kept !== null) return entry;
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
  return createHash('sha256').update(text).digest('base64url');
}
