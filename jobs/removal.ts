import { purgeMailboxJob } from '../core/mailboxes/clean-up-deleted.ts';
import { orphansAmong } from '../core/retention/sweep-blobs.ts';
import { purgeDeletedMailbox } from '../core/retention/purge.ts';
import { BACKGROUND_LOCKS, cappedBackoff, defineJob } from '../core/queue/job.ts';
import { deleteBlobsJob } from '../core/blobs/discard.ts';

/** Removes the messages of a deleted mailbox. */
export const purgeMailbox = defineJob(purgeMailboxJob, {
  worker: {
    concurrency: () => 1,
    ...BACKGROUND_LOCKS,
  },
  backoff: cappedBackoff(60_000),
  run: (context, { mailboxId }) => purgeDeletedMailbox(context, mailboxId),
});

/** Deletes blobs. Retried until the blob store accepts the deletion. */
export const deleteBlobs = defineJob(deleteBlobsJob, {
  worker: {
    concurrency: () => 2,
    ...BACKGROUND_LOCKS,
  },
  backoff: cappedBackoff(10 * 60_000),
  async run(context, { keys, mayBeReferred }) {
    const orphans = mayBeReferred ? await orphansAmong(context, keys) : keys;
    for (const key of orphans) await context.blobs.delete(key);
  },
});
