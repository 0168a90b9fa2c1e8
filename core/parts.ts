/** Whether the parts that a process hangs on answer, each by its name. */
import type { Context } from './context.js';
import { errorText } from './errors.js';
import { instanceKey } from './instance-marks.js';
import { within } from './deadline.js';

/** Whoever asks wants to know now: what takes longer does not answer. */
const PATIENCE_MS = 2000;

export type Parts = Record<'database' | 'redis' | 'blobStore', 'ok' | 'unavailable'>;

/** Takes two seconds at most, and never rejects. */
export async function checkParts({ config, store, redis, blobs, log }: Context): Promise<Parts> {
  const state = async (part: keyof Parts, check: Promise<unknown>) => {
    try {
      await within(PATIENCE_MS, () => check, `no answer within ${PATIENCE_MS} ms`);
      return 'ok';
    } catch (error) {
      log.warn('not ready', { part, fault: errorText(error) });
      return 'unavailable';
    }
  };
  const [database, inRedis, blobStore] = await Promise.all([
    state('database', store.check()),
    // In a cluster only a key leads to the node in question.
    state('redis', redis.exists(instanceKey(config.redisPrefix))),
    state('blobStore', blobs.check()),
  ]);
  return { database, redis: inRedis, blobStore };
}
