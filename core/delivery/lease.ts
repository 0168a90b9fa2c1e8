/**
 * Leases a delivery for one attempt. The row is read in the same transaction. A lease keeps other
 * workers away for longer than an attempt lasts, and expires if the process dies.
 */
import {
  type AttemptRow,
  type DeliveryRow,
  type DeliveryDetails,
  interruptAttempt,
  leaseDelivery,
  changeDelivery,
  deliveryDetails,
} from '../../db/statements/deliveries.ts';
import { type Transaction, type Db, insertIgnoring, execute, query } from '../../db/store.ts';
import type { DeliveryState } from '../../db/schema/tables.ts';
import type { WebhookRow } from '../../db/statements/webhooks.ts';
import { newId } from '../ids.ts';

/**
 * Number of interruptions from which an interrupted attempt counts as failed, because it may be
 * what ends the process.
 */
const HARMLESS_INTERRUPTIONS = 5;

/** A delivery leased for one attempt. */
export interface LeasedDelivery {
  delivery: DeliveryRow;
  webhook: WebhookRow;
  mailbox: { id: string; name: string; workspaceId: string };
  attempt: { id: string; number: number; queueDelayMs: number };
  leaseToken: string;
  /** The mail of the message; null for a test, which has none. */
  mailId: string | null;
  /** Expiry of the message; null for a test. */
  expiresAt: Date | null;
}

export type LeaseResult =
  | { kind: 'leased'; leased: LeasedDelivery }
  /** No attempt is due any more; `state` if this read established it. */
  | { kind: 'over'; state?: DeliveryState }
  /** Not due yet, or leased by another process. */
  | { kind: 'later'; at: Date }
  /** Interrupted too often; the caller fails it in the same transaction. */
  | { kind: 'poison'; details: DeliveryDetails };

export interface LeaseTimes {
  now: Date;
  leaseUntil: Date;
}

/** @param known the delivery as read before; it is read again if absent or changed. */
export function* acquireLease(
  tx: Db,
  id: string,
  { now, leaseUntil }: LeaseTimes,
  known?: DeliveryDetails,
): Transaction<LeaseResult> {
  const early = known && (yield* leaseUnchanged(tx, known, { now, leaseUntil }));
  if (early) return { kind: 'leased', leased: early };
  const [details] = yield* execute(deliveryDetails, { id });
  if (!details) return { kind: 'over' };
  const { delivery } = details;
  // A delivery that is closed during an attempt ends with that attempt.
  const isLeased = delivery.leaseToken !== null;
  if (isLeased && delivery.leaseUntil && delivery.leaseUntil > now) {
    return { kind: 'later', at: delivery.leaseUntil };
  }
  if (isLeased) yield* query(interruptAttempt(tx, id));
  if (delivery.state !== 'pending' && delivery.state !== 'in_flight') return { kind: 'over' };
  const due = checkAttemptAllowed(details, now);
  if ('state' in due) {
    yield* execute(changeDelivery, closeChange(delivery, due, now));
    return { kind: 'over', state: due.state };
  }
  const interruptions = delivery.interruptions + (isLeased ? 1 : 0);
  if (isLeased && interruptions > HARMLESS_INTERRUPTIONS) {
    return { kind: 'poison', details: { ...details, delivery: { ...delivery, interruptions } } };
  }
  if (!isLeased && delivery.nextAttemptAt && delivery.nextAttemptAt > now) {
    return { kind: 'later', at: delivery.nextAttemptAt };
  }
  const leased = yield* lease(tx, details, due, { now, leaseUntil, interruptions });
  return leased ? { kind: 'leased', leased } : { kind: 'later', at: now };
}

/**
 * Leases a delivery that was due when it was read; the lease compares state and attempts. Null for
 * any other delivery. Reasons to close a delivery are read in the transaction, because a paused
 * webhook can have been enabled meanwhile.
 */
function* leaseUnchanged(
  tx: Db,
  known: DeliveryDetails,
  { now, leaseUntil }: LeaseTimes,
): Transaction<LeasedDelivery | null> {
  const { state, leaseToken, nextAttemptAt, interruptions } = known.delivery;
  const due = checkAttemptAllowed(known, now);
  const isDue = state === 'pending' && leaseToken === null && (nextAttemptAt ?? now) <= now;
  if (!isDue || 'state' in due) return null;
  return yield* lease(tx, known, due, { now, leaseUntil, interruptions });
}

/** Null if another process leased or closed the delivery since it was read. */
function* lease(
  tx: Db,
  { delivery, message }: DeliveryDetails,
  { webhook, mailbox: { name, workspaceId } }: DeliveryTarget,
  { now, leaseUntil, interruptions }: LeaseTimes & { interruptions: number },
): Transaction<LeasedDelivery | null> {
  const leaseToken = newId('lease', now.getTime());
  const dueAt = delivery.nextAttemptAt ?? now;
  const attempt = {
    id: newId('attempt', now.getTime()),
    number: delivery.attempts + 1,
    queueDelayMs: Math.max(0, now.getTime() - dueAt.getTime()),
  };
  const { id, state, attempts } = delivery;
  const change = { id, state, attempts, leaseToken, leaseUntil, interruptions };
  const leased = yield* execute(leaseDelivery, change);
  if (leased.length === 0) return null;
  yield* insertIgnoring(tx.t.deliveryAttempts, [
    {
      ...attempt,
      deliveryId: id,
      startedAt: now,
      url: webhook.url,
    },
  ]);
  const mailbox = { id: webhook.mailboxId, name, workspaceId };
  const { mailId = null, expiresAt = null } = (delivery.trigger === 'test' ? null : message) ?? {};
  return {
    ...{ webhook, mailbox, attempt, leaseToken, mailId, expiresAt },
    delivery: { ...delivery, interruptions },
  };
}

/** The rows that an attempt needs. */
export interface DeliveryTarget {
  webhook: WebhookRow;
  mailbox: { name: string; workspaceId: string; labels: Record<string, string> | null };
}

/** The reason why no attempt is made. */
export interface ClosedState {
  state: 'held' | 'cancelled' | 'expired' | 'abandoned';
  reason: string | null;
}

/** Whether webhook, mailbox and message allow an attempt now. */
export function checkAttemptAllowed(
  { delivery, webhook, mailbox, message }: DeliveryDetails,
  now: Date,
): DeliveryTarget | ClosedState {
  if (!webhook) return { state: 'cancelled', reason: 'webhook_deleted' };
  if (!mailbox || hasEnded(mailbox, now)) return { state: 'cancelled', reason: 'mailbox_deleted' };
  const due = { webhook, mailbox };
  if (delivery.trigger === 'test') return due;
  if (!message) return { state: 'cancelled', reason: 'message_deleted' };
  if (message.expiresAt <= now) return { state: 'expired', reason: null };
  if (webhook.active) return due;
  const state = delivery.trigger === 'event' ? 'held' : 'cancelled';
  return { state, reason: 'webhook_paused' };
}

function hasEnded(
  { deletedAt, expiresAt }: NonNullable<DeliveryDetails['mailbox']>,
  now: Date,
): boolean {
  return deletedAt !== null || (expiresAt !== null && expiresAt <= now);
}

/** The change that closes or holds a delivery. */
export function closeChange(delivery: DeliveryRow, { state, reason }: ClosedState, now: Date) {
  const { id, failures, interruptions } = delivery;
  const finishedAt = state === 'held' ? null : now;
  return { id, state, reason, failures, interruptions, nextAttemptAt: null, finishedAt };
}

/** Presents an attempt as interrupted after its lease has expired, even before this is recorded. */
export function presentInterrupted(
  { leaseUntil }: DeliveryRow,
  attempt: AttemptRow,
  now: number,
): AttemptRow {
  const isLost = attempt.outcome === null && leaseUntil !== null && leaseUntil.getTime() <= now;
  return isLost ? { ...attempt, outcome: 'interrupted' } : attempt;
}
