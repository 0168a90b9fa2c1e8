/**
 * Waits until replicas have what Redis was told. WAIT counts for the connection it is sent on, and holds up whatever
 * comes after it there; so it has a connection of its own, on which a write of no other use goes ahead of it:
 * replication keeps the order, and whoever has that write has all that was answered before. Those who wait at the
 * same time share one (redis.io/docs, "WAIT").
 */
import type { Config } from './config.js';
import { AppError } from './errors.js';
import type { Logger } from './log.js';
import { type RedisClient, type RedisTarget, closeRedis, openRedis } from './redis.js';

/** Less than a command may take. */
const WAIT_MS = 1000;

export interface Replication {
  /**
   * Resolves when enough replicas have received every write that was answered before this call.
   * @throws {AppError} `unavailable` when they have not in time.
   */
  reached: () => Promise<void>;
  close: () => Promise<void>;
}

export function openReplication(
  config: RedisTarget & Pick<Config, 'redisMinReplicas' | 'redisPrefix'>,
  log: Logger,
): Replication {
  const { redisMinReplicas: wanted } = config;
  let opening: Promise<RedisClient> | null = null;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  const client = () => {
    opening ??= openRedis(config, log).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };

  const wait = async () => {
    const redis = await client();
    const fence = `${config.redisPrefix}:fence`;
    const replies = await redis.pipeline().incr(fence).wait(wanted, WAIT_MS).exec();
    for (const [error] of replies ?? []) if (error) throw error;
    const reached = Number(replies?.at(-1)?.[1] ?? 0);
    if (reached < wanted) {
      throw new AppError('unavailable', `${reached} of ${wanted} replicas of Redis have the mail`);
    }
  };

  return {
    async reached() {
      if (wanted === 0) return;
      // The one that is running may have begun before the write in question.
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = null;
          return (running = wait());
        });
      await next;
    },
    async close() {
      if (opening) await opening.then(closeRedis, () => undefined);
    },
  };
}
