/**
 * What we have against a single mail. BullMQ counts a death of the worker against every job that was under
 * way, and any failure against its job; here only that is counted which this mail alone can be blamed for.
 */
import type { Redis } from 'ioredis';

/** What is known of a mail, from its earlier runs. */
export type Charge = 'deaths' | 'refusals';

export interface PoisonRecord {
  /** Counts one more, durably, before it is known to be deserved or after; resolves to how many there are. */
  charge: (ingestId: string, charge: Charge) => Promise<number>;
  /** Takes back all charges of one kind. */
  clear: (ingestId: string, charge: Charge) => Promise<void>;
}

/** Longer than any mail is tried in vain without being charged again. */
const KEPT_SECONDS = 7 * 24 * 60 * 60;

export function openPoisonRecord(redis: Redis, prefix: string): PoisonRecord {
  const key = (ingestId: string, charge: Charge) => `${prefix}:poison:${charge}:${ingestId}`;
  return {
    async charge(ingestId, charge) {
      const count = await redis.incr(key(ingestId, charge));
      await redis.expire(key(ingestId, charge), KEPT_SECONDS);
      return count;
    },
    async clear(ingestId, charge) {
      await redis.del(key(ingestId, charge));
    },
  };
}
