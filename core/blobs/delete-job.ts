import * as z from 'zod';
import { ENDLESS, type JobContract } from '../queue/job-contract.ts';

/** Deletes blobs whose rows are removed. Retried until the blob store accepts the deletion. */
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
