import { deleteOrphanBlobs } from '../core/retention/sweep-blobs.ts';
import { sweepBlobsJob } from '../core/retention/schedule.ts';
import { defineScheduledJob } from '../core/queue/job.ts';

/** Deletes blobs that no row and no waiting mail refers to. */
export const sweepBlobs = defineScheduledJob(sweepBlobsJob, async (context) => {
  const count = await deleteOrphanBlobs(context);
  context.metrics.jobs.repairs.inc({ sweep: 'blobs' }, count);
  if (count > 0) context.log.warn('orphaned blobs deleted', { count });
});
