import { z } from 'zod';
import { OUR_FAULT_DELAY_MS, attemptDelivery } from '../core/attempt-delivery.js';
import { ENDLESS, GiveUp, RetryIn, RunLater, defineJob } from './job.js';

const HOUR_S = 3600;

/**
 * One delivery to one webhook. The job is the alarm clock, the delivery's row the truth: when to try again
 * and when to give up is decided there, so how often the queue has run the job means nothing. Its data
 * holds ids alone, since Bull Board shows it.
 */
export const deliverWebhook = defineJob({
  name: 'deliver-webhook',
  payload: z.object({
    deliveryId: z.string(),
    webhookId: z.string(),
    messageId: z.string(),
    /** Which attempt the job was added for. */
    attempt: z.number().int(),
  }),
  options: {
    attempts: ENDLESS,
    backoff: { type: 'scheduled' },
    removeOnComplete: { age: HOUR_S, count: 1000 },
    removeOnFail: { age: 24 * HOUR_S, count: 5000 },
    stackTraceLimit: 1,
  },
  worker: {
    concurrency: ({ config }) => config.webhooks.concurrency,
    // A dead worker's deliveries are taken up again by the time their claims have ended. A worker that
    // only seemed dead does no harm: the claim, not the lock, keeps others away.
    lockDuration: 10_000,
    stalledInterval: 5_000,
    maxStalledCount: ENDLESS,
  },
  backoff: () => OUR_FAULT_DELAY_MS,
  async run(context, { deliveryId, webhookId }) {
    const entry = await context.deliverySlots.enter(webhookId);
    if (entry.kind === 'park') throw new RunLater(entry.forMs);
    let called = null;
    try {
      const { result, answer } = await attemptDelivery(context, deliveryId);
      const outcome = answer?.outcome ?? 'interrupted';
      if (answer) {
        called = { failed: outcome !== 'delivered', durationMs: answer.durationMs };
      }
      if (result.kind === 'later') {
        throw new RunLater(Math.max(0, result.at.getTime() - context.now()));
      }
      // The whole delay from here on: the job does not wake before its row is due.
      if (result.kind === 'retry') throw new RetryIn(outcome, result.delayMs);
      if (result.kind === 'abandoned') throw new GiveUp(`abandoned: ${outcome}`);
    } finally {
      entry.leave(called);
    }
  },
});
