import {
  purgeDeletedMailboxes,
  purgeExpired,
  releaseSpace,
  purgeDeliveries,
} from '../core/retention/purge.ts';
import { schedule } from '../core/retention/schedule.ts';
import { defineScheduledJob } from '../core/queue/job.ts';
import { endExpiredMailboxes } from '../core/retention/expire-mailboxes.ts';
import { removeOverMessageLimits as removeMessages } from '../core/retention/limit-mailboxes.ts';
import { correctCounts, removeOrphanMail } from '../core/ingest/sweep-spool.ts';
import { deleteOrphanBlobs } from '../core/retention/sweep-blobs.ts';
import { requeueLostDeliveries } from '../core/delivery/requeue-lost.ts';
import { recordUses } from '../core/directory/sources.ts';

/** Removes expired mail, which is already hidden, and old deliveries, to free their space. */
export const expireMessages = defineScheduledJob(
  schedule.expireMessages,
  async (context) => {
    const count = await purgeExpired(context);
    if (count > 0) context.log.info('expired mails removed', { count });
  },
  purgeDeletedMailboxes,
  purgeDeliveries,
  releaseSpace,
);

/** Reports and purges expired mailboxes, which are already invisible. */
export const expireMailboxes = defineScheduledJob(schedule.expireMailboxes, async (context) => {
  const count = await endExpiredMailboxes(context);
  if (count > 0) context.log.info('expired mailboxes removed', { count });
});

/** Removes messages above the limits of their mailboxes. */
export const limitMailboxes = defineScheduledJob(schedule.limitMailboxes, async (context) => {
  const count = await removeMessages(context);
  if (count > 0) context.log.info('messages above the limits of mailboxes removed', { count });
});

/** Removes raw bytes without a job, then recounts the bytes and loads of accepted mail. */
export const sweepRawMail = defineScheduledJob(
  schedule.sweepRawMail,
  async (context) => {
    context.metrics.jobs.repairs.inc({ sweep: 'raw_mail' }, await removeOrphanMail(context));
  },
  async (context) => {
    const drift = await correctCounts(context);
    if (!drift) return;
    context.metrics.jobs.repairs.inc({ sweep: 'raw_mail' });
    context.log.warn('counts of accepted mail corrected', { ...drift });
  },
);

/** Deletes blobs that no row and no waiting mail refers to. */
export const sweepBlobs = defineScheduledJob(schedule.sweepBlobs, async (context) => {
  const count = await deleteOrphanBlobs(context);
  context.metrics.jobs.repairs.inc({ sweep: 'blobs' }, count);
  if (count > 0) context.log.warn('orphaned blobs deleted', { count });
});

/** Adds the jobs of deliveries that have none. */
export const sweepDeliveries = defineScheduledJob(schedule.sweepDeliveries, async (context) => {
  const count = await requeueLostDeliveries(context);
  context.metrics.jobs.repairs.inc({ sweep: 'deliveries' }, count);
  if (count > 0) context.log.info('missing delivery jobs added', { count });
});

/** Writes the last use of SMTP credentials to the database. */
export const recordCredentialUse = defineScheduledJob(schedule.recordCredentialUse, recordUses);
