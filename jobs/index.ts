import type { AnyJob } from '../core/queue/job.ts';
import { deleteBlobs } from './delete-blobs.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { expireMessages } from './expire-messages.ts';
import { expireMailboxes } from './expire-mailboxes.ts';
import { indexStoredMails } from './index-mails.ts';
import { ingestMessage } from './ingest-message.ts';
import { limitMailboxes } from './limit-mailboxes.ts';
import { noteCredentialUse } from './note-credential-use.ts';
import { purgeMailbox } from './purge-mailbox.ts';
import { deliveryRecovery } from './recover-deliveries.ts';
import { sweepBlobs } from './sweep-blobs.ts';
import { sweepDeliveries } from './sweep-deliveries.ts';
import { sweepRawMail } from './sweep-raw-mail.ts';

/** All jobs that a worker runs, one per contract of core/job-contracts.ts. */
export const allJobs: AnyJob[] = [
  ingestMessage,
  deliverWebhook,
  purgeMailbox,
  deliveryRecovery,
  deleteBlobs,
  expireMessages,
  expireMailboxes,
  limitMailboxes,
  sweepRawMail,
  sweepBlobs,
  sweepDeliveries,
  noteCredentialUse,
  indexStoredMails,
];
