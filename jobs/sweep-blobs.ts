import { deleteOrphanBlobs } from '../core/retention/sweep-blobs.js';
import { sweepBlobsJob } from '../core/retention/schedule.js';
import { defineScheduledJob } from '../core/queue/job.js';

/** Deletes blobs that no row and no waiting mail refers to. */
export const sweepBlobs = defineScheduledJob(sweepBlobsJob, async (context) => {
  const count = await deleteOrphanBlobs(context);
  context.metrics.jobs.repairs.inc({ sweep: 'blobs' }, count);
  if (count > 0) context.log.warn('orphaned blobs deleted', { count });
});
