import { scheduledJob } from '../queue/job-contract.ts';
import { indexJob } from '../search/index-job.ts';

/** The scheduled jobs and their intervals in milliseconds. */
export const schedule = {
  expireMessages: scheduledJob('expire-messages', 30_000),
  expireMailboxes: scheduledJob('expire-mailboxes', 5_000),
  limitMailboxes: scheduledJob('limit-mailboxes', 20_000),
  sweepRawMail: scheduledJob('sweep-raw-mail', 10 * 60_000),
  sweepBlobs: scheduledJob('sweep-blobs', 60 * 60_000),
  sweepDeliveries: scheduledJob('sweep-deliveries', 5_000),
  recordCredentialUse: scheduledJob('note-credential-use', 10_000),
  indexMails: indexJob,
};
