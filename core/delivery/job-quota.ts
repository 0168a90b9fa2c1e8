/**
 * The quota of delivery jobs. A job takes about 1.5 KB of Redis, and a workspace can have any
 * number of pending deliveries. Those beyond the quota of the workspace wait as rows, and the sweep
 * adds their jobs when others have ended. What is reserved is a set of delivery ids, so reserving
 * and releasing can be repeated.
 */
import type { RedisClient } from '../redis/client.ts';

/** Time for which new deliveries of a workspace stay behind those that wait. */
const WAIT_SECONDS = 30;
/** Reservations whose jobs are looked up at once. */
const SAMPLE = 200;

/**
 * KEYS: the set of a workspace, and a key that exists while deliveries of it wait. ARGV: the quota,
 * 1 for new deliveries, the seconds that the second key exists, delivery ids. Returns the ids with
 * a reservation.
 */
const RESERVE = `
local free = tonumber(ARGV[1]) - redis.call('SCARD', KEYS[1])
if ARGV[2] == '1' and redis.call('EXISTS', KEYS[2]) == 1 then free = 0 end
local reserved = {}
for i = 4, #ARGV do
  local isReserved = redis.call('SISMEMBER', KEYS[1], ARGV[i]) == 1
  if not isReserved and free > 0 then
    redis.call('SADD', KEYS[1], ARGV[i])
    free = free - 1
    isReserved = true
  end
  if isReserved then reserved[#reserved + 1] = ARGV[i] end
end
if #reserved < #ARGV - 3 then redis.call('SET', KEYS[2], '', 'EX', ARGV[3]) end
return reserved`;

export interface JobQuota {
  /**
   * Returns those of the deliveries whose jobs may be added. New deliveries get no reservation
   * while others of the workspace wait for one.
   */
  reserve: (workspaceId: string, deliveryIds: string[], isNew: boolean) => Promise<Set<string>>;
  release: (workspaceId: string, deliveryIds: string[]) => Promise<void>;
  /** Some of the deliveries with a reservation, at random. */
  sample: (workspaceId: string) => Promise<string[]>;
}

interface Scripts {
  mayflyReserveJobs: (...args: (string | number | string[])[]) => Promise<string[]>;
}

/** @param quota jobs of a workspace; 0 for no limit. */
export function openJobQuota(redis: RedisClient, prefix: string, quota: number): JobQuota {
  redis.defineCommand('mayflyReserveJobs', { numberOfKeys: 2, lua: RESERVE });
  const scripts = redis as RedisClient & Scripts;
  const keyOf = (workspaceId: string) => `${prefix}:delivery-jobs:${workspaceId}`;

  return {
    async reserve(workspaceId, deliveryIds, isNew) {
      if (quota === 0) return new Set(deliveryIds);
      const key = keyOf(workspaceId);
      const [waiting, kind] = [`${key}:waiting`, isNew ? 1 : 0];
      return new Set(
        await scripts.mayflyReserveJobs(key, waiting, quota, kind, WAIT_SECONDS, deliveryIds),
      );
    },
    async release(workspaceId, deliveryIds) {
      if (deliveryIds.length > 0) await redis.srem(keyOf(workspaceId), deliveryIds);
    },
    sample: (workspaceId) => redis.srandmember(keyOf(workspaceId), SAMPLE),
  };
}
