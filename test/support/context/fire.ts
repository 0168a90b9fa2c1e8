import type { Context } from '../../../core/context.ts';
import { type DeliveryRow, sendableLease } from '../../../db/statements/deliveries.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { GiveUp, RetryIn, RunLater } from '../../../core/queue/job.ts';

/** The result of one run of a delivery job. */
export type Fired =
  | { kind: 'done' | 'gave up' }
  | { kind: 'retry' | 'later'; delayMs: number }
  | { kind: 'fault'; error: unknown };

/** Runs a delivery job once, as a worker does. */
export async function fire(
  context: Context,
  { id, webhookId, messageId, attempts }: DeliveryRow,
): Promise<Fired> {
  const payload = { deliveryId: id, webhookId, messageId, attempt: attempts + 1 };
  try {
    await deliverWebhook.run(context, payload, { jobId: id, start: 1, stalls: 0 });
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof GiveUp) return { kind: 'gave up' };
    if (error instanceof RetryIn) return { kind: 'retry', delayMs: error.delayMs };
    if (error instanceof RunLater) return { kind: 'later', delayMs: error.delayMs };
    return { kind: 'fault', error };
  }
}

/**
 * The same context with a hook that runs when a claimed delivery has its connection, immediately
 * before the last check that decides whether the first byte is sent.
 */
export function beforeSending(context: Context, act: () => Promise<unknown>): Context {
  const { store } = context;
  const execute: typeof store.execute = async (statement, parameters) => {
    if (statement.name === sendableLease.name) await act();
    return store.execute(statement, parameters);
  };
  return { ...context, store: { ...store, execute } };
}
