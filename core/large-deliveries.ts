/**
 * Deliveries of large bodies go out a few at a time, since each stays in memory for as long as its receiver
 * takes. They have places of their own, shared out as all are (delivery-shares.ts), and go by what the small
 * ones have told of a receiver until its first large one has.
 */
import type { Context } from './context.js';
import type { DeliveryLimits, DeliverySlots } from './delivery-slots.js';

const LARGE_BYTES = 1024 * 1024;

export const LARGE_LIMITS: DeliveryLimits = { capacity: 4, slots: { proven: 2, others: 1 } };

/** @param bodyBytes how long the texts of the message are. */
export function slotsFor(
  { deliverySlots, largeDeliverySlots }: Context,
  bodyBytes: number,
): DeliverySlots {
  return bodyBytes > LARGE_BYTES ? largeDeliverySlots : deliverySlots;
}
