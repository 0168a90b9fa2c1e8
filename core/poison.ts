/**
 * What we have against a single mail. BullMQ counts a death of the worker against every job that was under
 * way, and any failure against its job; here only that is counted which this mail alone can be blamed for.
 *
 * A process notes that it begins with a mail, and takes the note back whatever becomes of it. Notes of others
 * are thus those of processes that died; its own one is not, should it be given the same mail twice.
 */
import { randomUUID } from 'node:crypto';
import type { RedisClient } from './redis.js';

export interface PoisonRecord {
  /** Notes, durably, that this process begins with the mail; resolves to how many others never ended. */
  begin: (ingestId: string) => Promise<number>;
  /** Takes the note back. */
  end: (ingestId: string) => Promise<void>;
  /** Counts one more run in which the database took the mail in no form; resolves to how many there are. */
  refused: (ingestId: string) => Promise<number>;
  /** Leaves nothing against the mail. */
  forgive: (ingestId: string) => Promise<void>;
}

/** Longer than any mail is tried in vain without being noted again. */
const KEPT_SECONDS = 7 * 24 * 60 * 60;

export function openPoisonRecord(redis: RedisClient, prefix: string): PoisonRecord {
  const self = randomUUID();
  const begunBy = (ingestId: string) => `${prefix}:poison:begun:${ingestId}`;
  const refusals = (ingestId: string) => `${prefix}:poison:refusals:${ingestId}`;
  return {
    async begin(ingestId) {
      const key = begunBy(ingestId);
      const [, , count] = await Promise.all([
        redis.sadd(key, self),
        redis.expire(key, KEPT_SECONDS),
        redis.scard(key),
      ]);
      return count - 1;
    },
    async end(ingestId) {
      await redis.srem(begunBy(ingestId), self);
    },
    async refused(ingestId) {
      const key = refusals(ingestId);
      const [count] = await Promise.all([redis.incr(key), redis.expire(key, KEPT_SECONDS)]);
      return count;
    },
    async forgive(ingestId) {
      await redis.del(begunBy(ingestId), refusals(ingestId));
    },
  };
}
