import { deliveryJob, recoveryJob } from '../core/delivery/jobs.ts';
import { type CompletedAttempt, OUR_FAULT_DELAY_MS } from '../core/delivery/attempt.ts';
import { runDelivery } from '../core/delivery/run-delivery.ts';
import type { Context } from '../core/context.ts';
import { ENDLESS } from '../core/queue/job-contract.ts';
import {
  GiveUp,
  RetryIn,
  RunLater,
  defineJob,
  BACKGROUND_LOCKS,
  cappedBackoff,
} from '../core/queue/job.ts';
import { runRecovery } from '../core/delivery/recover.ts';

/**
 * Runs one delivery. The job only schedules it; the row of the delivery is authoritative for
 * retries, so the attempt count of BullMQ is not used. The payload contains only ids, because Bull
 * Board shows it.
 */
export const deliverWebhook = defineJob(deliveryJob, {
  worker: {
    concurrency: ({ config }) => config.webhooks.concurrency,
    // Deliveries of a crashed worker are resumed about when their leases expire. The lease, not
    // this lock, prevents concurrent attempts, so a worker wrongly considered dead does no harm.
    lockDuration: 10_000,
    stalledInterval: 5_000,
    maxStalledCount: ENDLESS,
  },
  backoff: () => OUR_FAULT_DELAY_MS,
  async run(context, payload) {
    const run = await runDelivery(context, payload);
    if (run.kind === 'refused') throw new RunLater(run.delayMs);
    if (run.kind === 'attempted') runAgain(context, run.attempted);
    if (payload.workspaceId !== undefined) {
      await context.delivery.quota.release(payload.workspaceId, [payload.deliveryId]);
    }
    if (run.kind === 'attempted' && run.attempted.result.kind === 'abandoned') {
      throw new GiveUp(`abandoned: ${outcomeOf(run.attempted)}`);
    }
  },
});

/** Tells the queue when another attempt is due, if one is. */
function runAgain(context: Pick<Context, 'now'>, attempted: CompletedAttempt): void {
  const { result } = attempted;
  if (result.kind === 'later') {
    throw new RunLater(Math.max(0, result.at.getTime() - context.now()));
  }
  // The whole delay counts from now, so the job does not run before its row is due.
  if (result.kind === 'retry') throw new RetryIn(outcomeOf(attempted), result.delayMs);
}

function outcomeOf({ response: answer }: CompletedAttempt): string {
  return answer?.outcome ?? 'interrupted';
}

/** Makes the held and abandoned deliveries of a webhook pending again. */
export const deliveryRecovery = defineJob(recoveryJob, {
  worker: {
    concurrency: () => 1,
    ...BACKGROUND_LOCKS,
  },
  backoff: cappedBackoff(60_000),
  run: (context, { since, askedAt, ...progress }) =>
    runRecovery(context, {
      ...progress,
      since: new Date(since),
      askedAt: new Date(askedAt),
    }),
});
