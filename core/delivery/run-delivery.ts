import type { Context } from '../context.js';
import { standingOf } from '../../db/statements/deliveries.js';
import { type Attempted, attemptDelivery } from './attempt.js';
import { limiterFor } from './limits/limiter.js';

/** `refused`: the limits allow no attempt now; the delivery is to be run again after `delayMs`. */
export type DeliveryRun =
  | { kind: 'attempted'; attempted: Attempted }
  | { kind: 'refused'; delayMs: number }
  | { kind: 'gone' };

/** Makes the next attempt of a delivery once the limits of its webhook and of this process allow one. */
export async function runDelivery(context: Context, deliveryId: string): Promise<DeliveryRun> {
  const [standing] = await context.store.read(standingOf, { id: deliveryId });
  if (!standing) return { kind: 'gone' };
  const { webhook, mailbox, message } = standing;
  // A delivery whose webhook or mailbox is deleted is closed without a request.
  if (!webhook || !mailbox) {
    return { kind: 'attempted', attempted: await attemptDelivery(context, deliveryId) };
  }
  const { id: webhookId, mailboxId } = webhook;
  const limiter = limiterFor(context.delivery, message?.bodyBytes ?? 0);
  const { workspaceId } = mailbox;
  const place = await limiter.acquire({ webhookId, mailboxId, workspaceId });
  if (place.kind === 'refused') return place;
  let attempted: Attempted | null = null;
  try {
    attempted = await attemptDelivery(context, deliveryId);
    return { kind: 'attempted', attempted };
  } finally {
    const answer = attempted?.answer ?? null;
    place.release(
      answer && { failed: answer.outcome !== 'delivered', durationMs: answer.durationMs },
    );
  }
}
