import type { Delivery } from '../../core/delivery/log.ts';
import type { Shape } from '../contract/shapes.ts';

/** Converts a delivery to its API representation. */
export function presentDelivery({ delivery, attempts }: Delivery): Shape<'Delivery'> {
  const { id, webhookId, messageId, trigger, redeliveryOf, state, reason } = delivery;
  return {
    ...{ id, webhookId, messageId, event: 'message.received', trigger, redeliveryOf },
    state,
    reason,
    // The due time of an attempt in progress is not that of the next attempt.
    nextAttemptAt: state === 'pending' ? toText(delivery.nextAttemptAt) : null,
    createdAt: delivery.createdAt.toISOString(),
    finishedAt: toText(delivery.finishedAt),
    attempts: attempts.map(presentAttempt),
  };
}

function presentAttempt(attempt: Delivery['attempts'][number]): Shape<'DeliveryAttempt'> {
  const { number, url, outcome, durationMs, queueDelayMs, statusCode } = attempt;
  const { payloadBytes, retryAfterMs, excerpt } = attempt;
  return {
    ...{ number, url, outcome, durationMs, queueDelayMs, statusCode },
    ...{ payloadBytes, retryAfterMs, excerpt },
    startedAt: attempt.startedAt.toISOString(),
    nextAttemptAt: toText(attempt.nextAttemptAt),
  };
}

function toText(time: Date | null): string | null {
  return time && time.toISOString();
}
