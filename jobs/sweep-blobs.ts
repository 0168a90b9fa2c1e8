import { sweepBlobs as sweep } from '../core/sweep-blobs.js';
import { defineScheduledJob } from './job.js';

/** Deletes stored files that nothing refers to. */
export const sweepBlobs = defineScheduledJob({
  name: 'sweep-blobs',
  every: 60 * 60_000,
  async run(context) {
    const count = await sweep(context);
    context.metrics.jobs.repairs.inc({ sweep: 'blobs' }, count);
    if (count > 0) context.log.warn('orphaned blobs deleted', { count });
  },
});
