/**
 * Failures per mail. BullMQ counts a crash of the worker against every active job, and every
 * failure against its job; this record counts only failures caused by this mail.
 *
 * A process records the start of a mail and removes the record at the end, whatever the outcome.
 * Records of other processes therefore belong to processes that crashed. A process ignores its own
 * record, because it can get the same mail twice.
 *
 * The parse limit that the mail exceeded is also recorded, so no worker spends the same time again.
 */
import { randomUUID } from 'node:crypto';
import type { ParseLimit } from '../mime/parser-pool.ts';
import type { RedisClient } from '../redis/client.ts';

/** `quick` for the time limit of the quick lane, otherwise the limit of a child process. */
export type Exceeded = 'quick' | ParseLimit;

export interface PoisonRecord {
  /**
   * Records durably that this process starts the mail. Resolves to the number of other processes
   * that never ended it.
   */
  recordStart: (ingestId: string) => Promise<number>;
  /** Removes the record of this process. */
  recordEnd: (ingestId: string) => Promise<void>;
  /**
   * Counts a run in which the database rejected the mail in every form; resolves to the number of
   * such runs.
   */
  recordFailure: (ingestId: string) => Promise<number>;
  /** Records the limit that parsing the mail exceeded. */
  recordExceeded: (ingestId: string, limit: Exceeded) => Promise<void>;
  /** The last limit that parsing the mail exceeded, or null. */
  lastExceeded: (ingestId: string) => Promise<Exceeded | null>;
  /** Removes all records of the mail. */
  clear: (ingestId: string) => Promise<void>;
}

const EXCEEDED: readonly Exceeded[] = ['quick', 'time', 'memory'];

/** Longer than the longest delay between two runs of a mail. */
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
      // A set of run ids: ioredis repeats a command whose reply is lost, and a run must count once.
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
