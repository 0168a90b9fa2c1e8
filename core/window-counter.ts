/**
 * Counts events by key, over all processes: in Redis while it answers, in this process while it does not,
 * so that counting never fails a request. The counters are not worth an fsync (unlogged-script.ts): what a crash
 * forgets is a minute's count.
 */
import type { RedisClient } from './redis.js';
import { RLWrapperTimeouts, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { errorText } from './errors.js';
import type { Logger } from './log.js';
import { UNLOGGED } from './unlogged-script.js';

export interface WindowCounter {
  /** Counts one more event of the key and tells how many there are now. Never rejects. */
  count: (key: string) => Promise<number>;
}

const INCREMENT = `${UNLOGGED}
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
if total == tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return {total, 0}`;

/** How long requests do without Redis after one waited for it in vain. */
const TRY_AGAIN_MS = 1000;

/**
 * A key is forgotten `seconds` after its first event; give each window a key of its own. A request waits for
 * Redis no longer than `patienceMs`.
 */
export function openWindowCounter(
  redis: RedisClient,
  prefix: string,
  { seconds, patienceMs }: { seconds: number; patienceMs: number },
  log: Logger,
): WindowCounter {
  const options = { keyPrefix: `${prefix}:count`, points: 1, duration: seconds };
  const local = new RateLimiterMemory(options);
  const shared = new RLWrapperTimeouts({
    limiter: new RateLimiterRedis({
      ...options,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      customIncrTtlLuaScript: INCREMENT,
    }),
    timeoutMs: patienceMs,
  });
  /** Who shares the next round trip of a key, while one is under way: it halves what Redis has to do. */
  const waiting = new Map<string, ((total: number) => void)[]>();
  let away = false;
  let tryAgainAt = 0;

  const addShared = async (key: string, events: number): Promise<number> => {
    try {
      const { consumedPoints } = await shared.penalty(key, events);
      if (away) log.info('counting in redis again');
      away = false;
      return consumedPoints;
    } catch (error) {
      if (!away) log.warn('counting in this process only', { fault: errorText(error) });
      away = true;
      tryAgainAt = performance.now() + TRY_AGAIN_MS;
      throw error;
    }
  };

  const add = async (key: string, events: number): Promise<number> => {
    const tryShared = !away || performance.now() >= tryAgainAt;
    try {
      if (tryShared) return await addShared(key, events);
    } catch {
      // logged; counted here instead
    }
    return (await local.penalty(key, events)).consumedPoints;
  };

  const serveWaiting = async (key: string) => {
    for (;;) {
      const group = waiting.get(key) ?? [];
      if (group.length === 0) break;
      waiting.set(key, []);
      const total = await add(key, group.length);
      group.forEach((resolve, index) => {
        resolve(total - group.length + index + 1);
      });
    }
    waiting.delete(key);
  };

  return {
    async count(key) {
      const group = waiting.get(key);
      if (group) return new Promise((resolve) => group.push(resolve));
      waiting.set(key, []);
      const total = await add(key, 1);
      void serveWaiting(key);
      return total;
    },
  };
}
