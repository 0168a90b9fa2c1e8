import { purgeDeliveries } from '../core/retention/purge.js';
import { requeueLostDeliveries } from '../core/delivery/requeue-lost.js';
import { sweepDeliveriesJob } from '../core/retention/schedule.js';
import { defineScheduledJob } from '../core/queue/job.js';

/** Adds lost delivery jobs again, and purges old deliveries. */
export const sweepDeliveries = defineScheduledJob(sweepDeliveriesJob, async (context) => {
  const count = await requeueLostDeliveries(context);
  context.metrics.jobs.repairs.inc({ sweep: 'deliveries' }, count);
  if (count > 0) context.log.warn('lost delivery jobs added again', { count });
  await purgeDeliveries(context);
});
