import { z } from 'zod';
import { UNHURRIED, ENDLESS, cappedBackoff, defineJob } from './job.js';

/** Removes stored files whose rows are gone; tried until the blob store takes it. */
export const deleteBlobs = defineJob({
  name: 'delete-blobs',
  payload: z.object({ keys: z.array(z.string()) }),
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
  worker: {
    concurrency: () => 2,
    ...UNHURRIED,
  },
  backoff: cappedBackoff(10 * 60_000),
  async run(context, { keys }) {
    for (const key of keys) await context.blobs.delete(key);
  },
});
