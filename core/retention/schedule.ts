/** The scheduled jobs and their intervals in milliseconds. */
import { scheduledJob } from '../queue/job-contract.ts';

export const expireMessagesJob = scheduledJob('expire-messages', 30_000);
export const expireMailboxesJob = scheduledJob('expire-mailboxes', 5_000);
export const limitMailboxesJob = scheduledJob('limit-mailboxes', 20_000);
export const sweepRawMailJob = scheduledJob('sweep-raw-mail', 10 * 60_000);
export const sweepBlobsJob = scheduledJob('sweep-blobs', 60 * 60_000);
export const sweepDeliveriesJob = scheduledJob('sweep-deliveries', 5_000);
export const recordCredentialUseJob = scheduledJob('note-credential-use', 10_000);
export const indexMailsJob = scheduledJob('index-mails', 2_000);

export const schedule = [
  expireMessagesJob,
  expireMailboxesJob,
  limitMailboxesJob,
  sweepRawMailJob,
  sweepBlobsJob,
  sweepDeliveriesJob,
  recordCredentialUseJob,
  indexMailsJob,
];
