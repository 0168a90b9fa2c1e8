import type { AnyJob } from '../core/queue/job.ts';
import { deleteBlobs, purgeMailbox } from './removal.ts';
import { deliverWebhook, deliveryRecovery } from './deliver-webhook.ts';
import * as scheduled from './scheduled.ts';
import { indexStoredMails } from './index-mails.ts';
import { ingestHeavy, ingestSlow, ingestMessage } from './ingest.ts';

/** All jobs that a worker runs, one per contract of core/job-contracts.ts. */
export const allJobs: AnyJob[] = [
  ingestMessage,
  ingestHeavy,
  ingestSlow,
  deliverWebhook,
  purgeMailbox,
  deliveryRecovery,
  deleteBlobs,
  ...Object.values(scheduled),
  indexStoredMails,
];
