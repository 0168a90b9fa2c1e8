import { z } from 'zod';
import { ENDLESS, type JobContract } from '../queue/job-contract.js';

/** Deletes blobs whose rows are gone; tried until the blob store accepts it. */
export const deleteBlobsJob: JobContract<{ keys: string[] }> = {
  name: 'delete-blobs',
  payload: z.object({ keys: z.array(z.string()) }),
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
};
