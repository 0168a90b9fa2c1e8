import { z } from 'zod';
import { sweepBlobs as sweep } from '../core/sweep-blobs.js';
import { ENDLESS, cappedBackoff, defineJob } from './job.js';

/** Deletes stored files that nothing refers to. */
export const sweepBlobs = defineJob({
  name: 'sweep-blobs',
  payload: z.object({}),
  options: { backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
  worker: {
    concurrency: () => 1,
    lockDuration: 30_000,
    stalledInterval: 10_000,
    maxStalledCount: ENDLESS,
  },
  backoff: cappedBackoff(10 * 60_000),
  every: 60 * 60_000,
  async run(context) {
    const count = await sweep(context);
    if (count > 0) context.log.warn('orphaned blobs deleted', { count });
  },
});
