import type { Context } from '../context.ts';
import { deliveryDetails } from '../../db/statements/deliveries.ts';
import { type CompletedAttempt, attemptDelivery } from './attempt.ts';

/** Bytes of text and HTML above which a body is large. */
const LARGE_BYTES = 1024 * 1024;

/** `refused`: the limits allow no attempt now; the delivery is to be run again after `delayMs`. */
export type DeliveryRunResult =
  | { kind: 'attempted'; attempted: CompletedAttempt }
  | { kind: 'refused'; delayMs: number }
  | { kind: 'gone' };

/**
 * Makes the next attempt of a delivery when the limits of its webhook and of this process allow it.
 */
export async function runDelivery(
  context: Context,
  { deliveryId, webhookId }: { deliveryId: string; webhookId: string },
): Promise<DeliveryRunResult> {
  const { limiter, largeLimiter } = context.delivery;
  // With many dead receivers most runs end here, also for large bodies: a failing receiver has one
  // request at a time.
  const refused = limiter.refuseFailing(webhookId);
  if (refused) return refused;
  const [details] = await context.store.execute(deliveryDetails, { id: deliveryId });
  if (!details) return { kind: 'gone' };
  const { webhook, mailbox, message } = details;
  // A delivery whose webhook or mailbox is deleted is closed without a request.
  if (!webhook || !mailbox) {
    return { kind: 'attempted', attempted: await attemptDelivery(context, deliveryId) };
  }
  const isLarge = (message?.bodyBytes ?? 0) > LARGE_BYTES;
  const { mailboxId } = webhook;
  const owner = { webhookId, mailboxId, workspaceId: mailbox.workspaceId };
  const place = await (isLarge ? largeLimiter : limiter).acquire(owner);
  if (place.kind === 'refused') return place;
  try {
    const attempted = await attemptDelivery(context, deliveryId, { details, place });
    return { kind: 'attempted', attempted };
  } finally {
    place.release(null);
  }
}
