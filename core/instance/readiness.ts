/** Readiness: whether the database, Redis and the blob store respond. */
import type { Store } from '../../db/store.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Config } from '../config/config.ts';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { RedisClient } from '../redis/client.ts';
import { instanceKey } from './ownership.ts';
import { withTimeout } from '../with-timeout.ts';

/** A dependency that takes longer counts as unavailable. */
const CHECK_TIMEOUT_MS = 2000;

interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly redis: RedisClient;
  readonly blobs: BlobStore;
  readonly log: Logger;
}

export type DependencyState = 'ok' | 'unavailable';

export type DependencyStates = Record<'database' | 'redis' | 'blobStore', DependencyState>;

/** Whether all dependencies respond within 2 s. Never rejects. */
export async function isReady(parts: Parts): Promise<boolean> {
  return Object.values(await checkDependencies(parts)).every((state) => state === 'ok');
}

/** Checks all dependencies concurrently, within 2 s. Never rejects. */
export async function checkDependencies({
  config,
  store,
  redis,
  blobs,
  log,
}: Parts): Promise<DependencyStates> {
  const state = async (
    part: keyof DependencyStates,
    check: Promise<unknown>,
  ): Promise<DependencyState> => {
    try {
      await withTimeout(CHECK_TIMEOUT_MS, () => check, `no response within ${CHECK_TIMEOUT_MS} ms`);
      return 'ok';
    } catch (error) {
      log.warn('not ready', { part, fault: errorText(error) });
      return 'unavailable';
    }
  };
  const [database, inRedis, blobStore] = await Promise.all([
    state('database', store.check()),
    // In a cluster, a command needs a key to reach the right node.
    state('redis', redis.exists(instanceKey(config.redisPrefix))),
    state('blobStore', blobs.check()),
  ]);
  return { database, redis: inRedis, blobStore };
}
