import { purgeDeliveries } from '../core/retention/purge.ts';
import { requeueLostDeliveries } from '../core/delivery/requeue-lost.ts';
import { sweepDeliveriesJob } from '../core/retention/schedule.ts';
import { defineScheduledJob } from '../core/queue/job.ts';

/** Adds lost delivery jobs again, and purges old deliveries. */
export const sweepDeliveries = defineScheduledJob(sweepDeliveriesJob, async (context) => {
  const count = await requeueLostDeliveries(context);
  context.metrics.jobs.repairs.inc({ sweep: 'deliveries' }, count);
  if (count > 0) context.log.warn('lost delivery jobs added again', { count });
  await purgeDeliveries(context);
});
