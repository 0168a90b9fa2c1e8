import { deleteBlobs } from './delete-blobs.js';
import { deliverWebhook } from './deliver-webhook.js';
import { expireMessages } from './expire-messages.js';
import { ingestMessage } from './ingest-message.js';
import type { AnyJob, DefinedJob } from './job.js';
import { purgeMailbox } from './purge-mailbox.js';
import { sweepBlobs } from './sweep-blobs.js';
import { sweepDeliveries } from './sweep-deliveries.js';
import { sweepRawMail } from './sweep-raw-mail.js';

/** Jobs that repeat by the clock. */
export const scheduledJobs: DefinedJob<Record<string, never>>[] = [
  expireMessages,
  sweepRawMail,
  sweepBlobs,
  sweepDeliveries,
];

/** Every job a worker runs. */
export const allJobs: AnyJob[] = [
  ingestMessage,
  deliverWebhook,
  purgeMailbox,
  deleteBlobs,
  ...scheduledJobs,
];
