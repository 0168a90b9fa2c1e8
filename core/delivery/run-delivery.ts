import type { Context } from '../context.ts';
import { deliveryDetails } from '../../db/statements/deliveries.ts';
import { type Attempted, attemptDelivery } from './attempt.ts';
import { limiterFor } from './limits/limiter.ts';

/** `refused`: the limits allow no attempt now; the delivery is to be run again after `delayMs`. */
export type DeliveryRun =
  | { kind: 'attempted'; attempted: Attempted }
  | { kind: 'refused'; delayMs: number }
  | { kind: 'gone' };

/**
 * Makes the next attempt of a delivery when the limits of its webhook and of this process allow it.
 */
export async function runDelivery(
  context: Context,
  { deliveryId, webhookId }: { deliveryId: string; webhookId: string },
): Promise<DeliveryRun> {
  // With many dead receivers most runs end here, also for large bodies: a bad receiver has one
  // trial at a time.
  const refused = context.delivery.limiter.refuseKnownBad(webhookId);
  if (refused) return refused;
  const [details] = await context.store.read(deliveryDetails, { id: deliveryId });
  if (!details) return { kind: 'gone' };
  const { webhook, mailbox, message } = details;
  // A delivery whose webhook or mailbox is deleted is closed without a request.
  if (!webhook || !mailbox) {
    return { kind: 'attempted', attempted: await attemptDelivery(context, deliveryId) };
  }
  const limiter = limiterFor(context.delivery, message?.bodyBytes ?? 0);
  const { workspaceId } = mailbox;
  const place = await limiter.acquire({ webhookId, mailboxId: webhook.mailboxId, workspaceId });
  if (place.kind === 'refused') return place;
  try {
    const attempted = await attemptDelivery(context, deliveryId, { details, place });
    return { kind: 'attempted', attempted };
  } finally {
    place.release(null);
  }
}
