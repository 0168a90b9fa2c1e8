import { deleteBlobs } from './delete-blobs.js';
import { expireMessages } from './expire-messages.js';
import { ingestMessage } from './ingest-message.js';
import type { AnyJob, DefinedJob } from './job.js';
import { purgeMailbox } from './purge-mailbox.js';
import { sweepBlobs } from './sweep-blobs.js';
import { sweepRawMail } from './sweep-raw-mail.js';

/** Jobs that repeat by the clock. */
export const scheduledJobs: DefinedJob<Record<string, never>>[] = [
  expireMessages,
  sweepRawMail,
  sweepBlobs,
];

/** Every job a worker runs. */
export const allJobs: AnyJob[] = [ingestMessage, purgeMailbox, deleteBlobs, ...scheduledJobs];
