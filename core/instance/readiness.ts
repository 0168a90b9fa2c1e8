/** Readiness: whether the database, Redis and the blob store respond. */
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';
import { instanceKey } from './ownership.ts';
import { within } from '../time-limit.ts';

/** A dependency that takes longer counts as unavailable. */
const CHECK_TIMEOUT_MS = 2000;

export type DependencyState = 'ok' | 'unavailable';

export type DependencyStates = Record<'database' | 'redis' | 'blobStore', DependencyState>;

/** Checks all dependencies concurrently, within 2 s. Never rejects. */
export async function checkDependencies({
  config,
  store,
  redis,
  blobs,
  log,
}: Context): Promise<DependencyStates> {
  const state = async (
    part: keyof DependencyStates,
    check: Promise<unknown>,
  ): Promise<DependencyState> => {
    try {
      await within(CHECK_TIMEOUT_MS, () => check, `no response within ${CHECK_TIMEOUT_MS} ms`);
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
