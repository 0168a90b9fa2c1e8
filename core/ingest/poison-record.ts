/**
 * The failures of a single mail. BullMQ counts a crash of the worker against every active job, and every failure
 * against its job; this record counts only the failures that this mail has caused.
 *
 * A process records that it starts a mail and removes the record when it is done, whatever the outcome. The records
 * of other processes are therefore those of processes that crashed. A process ignores its own record, since it may
 * get the same mail twice.
 *
 * The limit that parsing the mail has exceeded is recorded too, so no worker gives it the same time again.
 */
import { randomUUID } from 'node:crypto';
import type { ParseLimit } from '../mime/parser-pool.js';
import type { RedisClient } from '../redis/client.js';

/** `quick` for the time limit of the quick lane, otherwise the limit of a child. */
export type Exceeded = 'quick' | ParseLimit;

export interface PoisonRecord {
  /** Records durably that this process starts the mail; resolves to how many other processes never ended it. */
  recordStart: (ingestId: string) => Promise<number>;
  /** Removes the record of this process. */
  recordEnd: (ingestId: string) => Promise<void>;
  /** Counts a run in which the database rejected the mail in every form; resolves to the number of such runs. */
  recordFailure: (ingestId: string) => Promise<number>;
  /** Records the limit that parsing the mail has exceeded. */
  recordExceeded: (ingestId: string, limit: Exceeded) => Promise<void>;
  /** The limit that parsing the mail has exceeded last; null for none. */
  lastExceeded: (ingestId: string) => Promise<Exceeded | null>;
  /** Removes every record of the mail. */
  clear: (ingestId: string) => Promise<void>;
}

const EXCEEDED: readonly Exceeded[] = ['quick', 'time', 'memory'];

/** Longer than the pause between two runs of any mail. */
const TTL_SECONDS = 7 * 24 * 60 * 60;

export function openPoisonRecord(redis: RedisClient, prefix: string): PoisonRecord {
  const self = randomUUID();
  const startsKey = (ingestId: string) => `${prefix}:poison:begun:${ingestId}`;
  const failuresKey = (ingestId: string) => `${prefix}:poison:refused-runs:${ingestId}`;
  const exceededKey = (ingestId: string) => `${prefix}:poison:exceeded:${ingestId}`;
  return {
    async recordStart(ingestId) {
      const key = startsKey(ingestId);
      const [, , count] = await Promise.all([
        redis.sadd(key, self),
        redis.expire(key, TTL_SECONDS),
        redis.scard(key),
      ]);
      return count - 1;
    },
    async recordEnd(ingestId) {
      await redis.srem(startsKey(ingestId), self);
    },
    async recordFailure(ingestId) {
      const key = failuresKey(ingestId);
      // A set of runs: a client sends a command again whose reply is lost, and one run must count once.
      const [, , count] = await Promise.all([
        redis.sadd(key, randomUUID()),
        redis.expire(key, TTL_SECONDS),
        redis.scard(key),
      ]);
      return count;
    },
    async recordExceeded(ingestId, limit) {
      await redis.set(exceededKey(ingestId), limit, 'EX', TTL_SECONDS);
    },
    async lastExceeded(ingestId) {
      const recorded = await redis.get(exceededKey(ingestId));
      return EXCEEDED.find((limit) => limit === recorded) ?? null;
    },
    async clear(ingestId) {
      await redis.del(startsKey(ingestId), failuresKey(ingestId), exceededKey(ingestId));
    },
  };
}
