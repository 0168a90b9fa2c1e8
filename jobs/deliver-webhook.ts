import { deliveryJob } from '../core/delivery/delivery-job.js';
import { type Attempted, OUR_FAULT_DELAY_MS } from '../core/delivery/attempt.js';
import { runDelivery } from '../core/delivery/run-delivery.js';
import type { Context } from '../core/context.js';
import { ENDLESS } from '../core/queue/job-contract.js';
import { GiveUp, RetryIn, RunLater, defineJob } from '../core/queue/job.js';

/**
 * One delivery to one webhook. The job is the alarm clock, the delivery's row the truth: when to try again
 * and when to give up is decided there, so how often the queue has run the job means nothing. Its data
 * holds ids alone, since Bull Board shows it.
 */
export const deliverWebhook = defineJob(deliveryJob, {
  worker: {
    concurrency: ({ config }) => config.webhooks.concurrency,
    // A dead worker's deliveries are taken up again by the time their claims have ended. A worker that
    // only seemed dead does no harm: the claim, not the lock, keeps others away.
    lockDuration: 10_000,
    stalledInterval: 5_000,
    maxStalledCount: ENDLESS,
  },
  backoff: () => OUR_FAULT_DELAY_MS,
  async run(context, { deliveryId }) {
    const run = await runDelivery(context, deliveryId);
    if (run.kind === 'refused') throw new RunLater(run.delayMs);
    if (run.kind === 'attempted') conclude(context, run.attempted);
  },
});

/** What the queue is told of it. */
function conclude(context: Pick<Context, 'now'>, { result, answer }: Attempted): void {
  const outcome = answer?.outcome ?? 'interrupted';
  if (result.kind === 'later') {
    throw new RunLater(Math.max(0, result.at.getTime() - context.now()));
  }
  // The whole delay from here on: the job does not wake before its row is due.
  if (result.kind === 'retry') throw new RetryIn(outcome, result.delayMs);
  if (result.kind === 'abandoned') throw new GiveUp(`abandoned: ${outcome}`);
}
