import { z } from 'zod';
import { type Attempted, OUR_FAULT_DELAY_MS, attemptDelivery } from '../core/attempt-delivery.js';
import type { Context } from '../core/context.js';
import { slotsFor } from '../core/large-deliveries.js';
import { standingOf } from '../db/deliveries.js';
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
  async run(context, { deliveryId }) {
    const [standing] = await context.store.read(standingOf, { id: deliveryId });
    if (!standing) return;
    const { webhook, mailbox, message } = standing;
    // What belongs to nobody any more is closed without a call.
    if (!webhook || !mailbox) {
      conclude(context, await attemptDelivery(context, deliveryId));
      return;
    }
    const { id: webhookId, mailboxId } = webhook;
    const { workspaceId } = mailbox;
    const slots = slotsFor(context, message?.bodyBytes ?? 0);
    const entry = await slots.enter({ webhookId, mailboxId, workspaceId });
    if (entry.kind === 'park') throw new RunLater(entry.forMs);
    let attempted: Attempted | null = null;
    try {
      attempted = await attemptDelivery(context, deliveryId);
    } finally {
      const answer = attempted?.answer ?? null;
      entry.leave(
        answer && { failed: answer.outcome !== 'delivered', durationMs: answer.durationMs },
      );
    }
    conclude(context, attempted);
  },
});

/** What the queue is told of it. */
function conclude(context: Context, { result, answer }: Attempted): void {
  const outcome = answer?.outcome ?? 'interrupted';
  if (result.kind === 'later') {
    throw new RunLater(Math.max(0, result.at.getTime() - context.now()));
  }
  // The whole delay from here on: the job does not wake before its row is due.
  if (result.kind === 'retry') throw new RetryIn(outcome, result.delayMs);
  if (result.kind === 'abandoned') throw new GiveUp(`abandoned: ${outcome}`);
}
