import { deleteBlobsJob } from '../core/blobs/delete-job.ts';
import { BACKGROUND_LOCKS, cappedBackoff, defineJob } from '../core/queue/job.ts';

/** Deletes blobs whose rows are removed. Retried until the blob store accepts the deletion. */
export const deleteBlobs = defineJob(deleteBlobsJob, {
  worker: {
    concurrency: () => 2,
    ...BACKGROUND_LOCKS,
  },
  backoff: cappedBackoff(10 * 60_000),
  async run(context, { keys }) {
    for (const key of keys) await context.blobs.delete(key);
  },
});
