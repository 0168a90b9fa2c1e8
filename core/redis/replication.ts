/**
 * Waits until replicas have received earlier writes. WAIT covers the writes of its own connection
 * and blocks later commands there, so it has a separate connection. It is preceded by a fence
 * write: replication preserves order, so a replica with the fence has every write completed before.
 * Concurrent callers share one WAIT (redis.io/docs, "WAIT").
 */
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type RedisClient, type RedisTarget, closeRedis, openRedis } from './client.ts';

/** Time limit for replicas; below the time limit of a command. */
const WAIT_MS = 1000;

export interface Replication {
  /** Whether replicas are asked for. */
  readonly isRequired: boolean;
  /**
   * Resolves when enough replicas have received every write completed before this call.
   * @throws {AppError} `unavailable` if they do not in time.
   */
  reached: () => Promise<void>;
  close: () => Promise<void>;
}

export function openReplication(
  config: RedisTarget & Pick<Config, 'redisMinReplicas' | 'redisPrefix'>,
  log: Logger,
  commandTimeoutMs = config.redisTimeoutMs,
): Replication {
  const { redisMinReplicas: wanted } = config;
  let opening: Promise<RedisClient> | null = null;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  const client = () => {
    opening ??= openRedis(config, log, commandTimeoutMs).catch((error: unknown) => {
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
      throw new AppError(
        'unavailable',
        `${reached} of ${wanted} Redis replicas have the mail: check the replication, or lower REDIS_MIN_REPLICAS`,
      );
    }
  };

  return {
    isRequired: wanted > 0,
    async reached() {
      if (wanted === 0) return;
      // The running WAIT may have started before the write in question.
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

/**
 * The first lines of Lua scripts whose writes do not need an fsync. They exclude the writes from
 * the append-only file, and so from replicas (redis.io/docs, "Scripting with Lua",
 * `redis.set_repl`). Redis before 7 accepts `set_repl` only after `replicate_commands`.
 */
export const SKIP_AOF_PREAMBLE = `
redis.replicate_commands()
redis.set_repl(redis.REPL_NONE)`;
