import { purgeDeliveries } from '../core/purge.js';
import { sweepDeliveries as sweep } from '../core/sweep-deliveries.js';
import { defineScheduledJob } from './job.js';

/** Adds the jobs that deliveries have lost, and forgets deliveries of long ago. */
export const sweepDeliveries = defineScheduledJob({
  name: 'sweep-deliveries',
  every: 15_000,
  async run(context) {
    const count = await sweep(context);
    context.metrics.jobs.repairs.inc({ sweep: 'deliveries' }, count);
    if (count > 0) context.log.warn('lost delivery jobs added again', { count });
    await purgeDeliveries(context);
  },
});
