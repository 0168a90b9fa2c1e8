import { purgeMailboxJob } from '../core/mailboxes/purge-job.ts';
import { purgeDeletedMailbox } from '../core/retention/purge.ts';
import { BACKGROUND_LOCKS, cappedBackoff, defineJob } from '../core/queue/job.ts';

/** Removes the messages of a deleted mailbox. */
export const purgeMailbox = defineJob(purgeMailboxJob, {
  worker: {
    concurrency: () => 1,
    ...BACKGROUND_LOCKS,
  },
  backoff: cappedBackoff(60_000),
  run: (context, { mailboxId }) => purgeDeletedMailbox(context, mailboxId),
});
