import { correctByteCounts, removeOrphanMail } from '../core/ingest/sweep-spool.ts';
import { sweepRawMailJob } from '../core/retention/schedule.ts';
import { defineScheduledJob } from '../core/queue/job.ts';

/** Removes raw bytes without a job, then recounts the bytes of accepted mail. */
export const sweepRawMail = defineScheduledJob(sweepRawMailJob, async (context) => {
  const { repairs } = context.metrics.jobs;
  repairs.inc({ sweep: 'raw_mail' }, await removeOrphanMail(context));
  const drift = await correctByteCounts(context);
  if (!drift) return;
  repairs.inc({ sweep: 'raw_mail' });
  context.log.warn('byte counts of accepted mail corrected', { ...drift });
});
