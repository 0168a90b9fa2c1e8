import { purgeMailboxJob } from '../core/mailboxes/purge-job.js';
import { purgeDeletedMailbox } from '../core/retention/purge.js';
import { BACKGROUND_LOCKS, cappedBackoff, defineJob } from '../core/queue/job.js';

/** Removes the messages of a deleted mailbox. */
export const purgeMailbox = defineJob(purgeMailboxJob, {
  worker: {
    concurrency: () => 1,
    ...BACKGROUND_LOCKS,
  },
  backoff: cappedBackoff(60_000),
  run: (context, { mailboxId }) => purgeDeletedMailbox(context, mailboxId),
});
