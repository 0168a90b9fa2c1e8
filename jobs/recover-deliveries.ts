import { releaseRecoverable } from '../core/delivery/recover.ts';
import { recoveryJob } from '../core/delivery/recovery-job.ts';
import { BACKGROUND_LOCKS, cappedBackoff, defineJob } from '../core/queue/job.ts';

/** Makes the held and abandoned deliveries of a webhook pending again. */
export const deliveryRecovery = defineJob(recoveryJob, {
  worker: {
    concurrency: () => 1,
    ...BACKGROUND_LOCKS,
  },
  backoff: cappedBackoff(60_000),
  run: (context, { since, askedAt, ...progress }) =>
    releaseRecoverable(context, {
      ...progress,
      since: new Date(since),
      askedAt: new Date(askedAt),
    }),
});
