import type { AnyJob } from '../core/queue/job.js';
import { deleteBlobs } from './delete-blobs.js';
import { deliverWebhook } from './deliver-webhook.js';
import { expireMessages } from './expire-messages.js';
import { expireMailboxes } from './expire-mailboxes.js';
import { indexStoredMails } from './index-mails.js';
import { ingestMessage } from './ingest-message.js';
import { limitMailboxes } from './limit-mailboxes.js';
import { noteCredentialUse } from './note-credential-use.js';
import { purgeMailbox } from './purge-mailbox.js';
import { deliveryRecovery } from './recover-deliveries.js';
import { sweepBlobs } from './sweep-blobs.js';
import { sweepDeliveries } from './sweep-deliveries.js';
import { sweepRawMail } from './sweep-raw-mail.js';

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
