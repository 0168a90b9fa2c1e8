/**
 * Waits until replicas have received earlier writes. WAIT covers the writes of its own connection
 * and blocks later commands there, so it has a separate connection. It is preceded by a fence
 * write: replication preserves order, so a replica with the fence has every write completed before.
 * Concurrent callers share one WAIT (redis.io/docs, "WAIT").
 */
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { loadOnce, shareRuns } from '../share-runs.ts';
import { type RedisClient, type RedisTarget, closeRedis, openRedis } from './client.ts';

/** Time limit for replicas; below the time limit of a command. */
const WAIT_MS = 1000;
/** The first one can follow an old map of the cluster, the second one that of a node behind. */
const MAX_ATTEMPTS = 3;

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
  const client = loadOnce(() => openRedis(config, log, commandTimeoutMs));

  // A WAIT in progress may have started before the write in question.
  const wait = shareRuns(async () => {
    const reached = await fenceAndWait(await client.get(), `${config.redisPrefix}:fence`, wanted);
    if (reached < wanted) {
      throw new AppError(
        'unavailable',
        `${reached} of ${wanted} Redis replicas have the mail: check the replication, or lower REDIS_MIN_REPLICAS`,
      );
    }
  });

  return {
    isRequired: wanted > 0,
    async reached() {
      if (wanted > 0) await wait();
    },
    async close() {
      await client.current()?.then(closeRedis, () => undefined);
    },
  };
}

/**
 * Both commands go in one pipeline, so that they reach the same node on the same connection. For
 * such a pipeline ioredis does not follow the redirection of a former master to the present one.
 */
async function fenceAndWait(redis: RedisClient, fence: string, wanted: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const [written, waited] =
      (await redis.pipeline().incr(fence).wait(wanted, WAIT_MS).exec()) ?? [];
    const error = written?.[0] ?? waited?.[0];
    if (!error) return Number(waited?.[1] ?? 0);
    if (attempt === MAX_ATTEMPTS || !('refreshSlotsCache' in redis)) throw error;
    if (!error.message.startsWith('MOVED ')) throw error;
    await new Promise<void>((resolve) => {
      redis.refreshSlotsCache(() => {
        resolve();
      });
    });
  }
}

/**
 * The first lines of Lua scripts whose writes do not need an fsync. They exclude the writes from
 * the append-only file, and so from replicas (redis.io/docs, "Scripting with Lua",
 * `redis.set_repl`). Redis before 7 accepts `set_repl` only after `replicate_commands`.
 */
export const SKIP_AOF_PREAMBLE = `
redis.replicate_commands()
redis.set_repl(redis.REPL_NONE)`;
