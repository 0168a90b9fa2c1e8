import { Counter, Histogram, type Registry } from 'prom-client';
import { PATIENT, QUICK } from './metric-buckets.js';

/** States of deliveries that owe no attempt. */
const ENDS = ['delivered', 'abandoned', 'held', 'cancelled', 'expired'] as const;

/** What becomes of deliveries. */
export function webhookMetrics(registry: Registry) {
  const registers = [registry];
  const ended = new Counter({
    name: 'mayfly_webhook_deliveries_total',
    help: 'Deliveries that owe no attempt any more, by the state they have come to.',
    labelNames: ['state'] as const,
    registers,
  });
  // A counter that appears with its first event shows no rise from it.
  for (const state of ENDS) ended.inc({ state }, 0);
  return {
    ended,
    attempts: new Counter({
      name: 'mayfly_webhook_attempts_total',
      help: 'Attempts to deliver, by what came of them.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'mayfly_webhook_attempt_seconds',
      help: 'How long receivers took to answer, or calls to fail.',
      buckets: QUICK,
      registers,
    }),
    queueDelaySeconds: new Histogram({
      name: 'mayfly_webhook_queue_delay_seconds',
      help: 'From when an attempt was due to when it began.',
      buckets: PATIENT,
      registers,
    }),
    paused: new Counter({
      name: 'mayfly_webhooks_paused_total',
      help: 'Webhooks paused for what their receivers did.',
      registers,
    }),
  };
}
