/**
 * Records an attempt: its row, the state of the delivery and the failure record of the webhook, in
 * one transaction.
 */
import {
  LEFT_OUT,
  type DeliveryRow,
  type DeliveryDetails,
  closeRedelivered,
  completeDelivery,
  finishAttempt,
  removeAttempt,
  changeDelivery,
  deliveryDetails,
  uncountAttempt,
} from '../../db/statements/deliveries.ts';
import { type Transaction, type Db, execute, query } from '../../db/store.ts';
import type { DeliveryState } from '../../db/schema/tables.ts';
import { recordSuccess, updateWebhook } from '../../db/statements/webhooks.ts';
import type { Config } from '../config/config.ts';
import { type LeasedDelivery, closeChange, checkAttemptAllowed } from './lease.ts';
import { failureChange, pauseChange } from '../webhooks/auto-pause.ts';
import { nextDelay } from './retry-schedule.ts';
import type { WebhookResponse } from '../egress/post.ts';

const MINUTE_MS = 60_000;
const GONE = 410;

export type DeliveryDecision =
  /** Delivered or closed; `state` if this attempt caused it. */
  | { kind: 'over'; state?: DeliveryState; paused?: PausedWebhook }
  | { kind: 'later'; at: Date }
  | { kind: 'retry'; at: Date; delayMs: number }
  | { kind: 'abandoned'; state: 'abandoned'; paused?: PausedWebhook };

/** A webhook that the response paused; followers of its workspace get an event. */
export interface PausedWebhook {
  workspaceId: string;
  mailbox: string;
  mailboxId: string;
  webhookId: string;
  labels?: Record<string, string>;
}

type Rules = Config['webhooks'];
type Failed = Omit<WebhookResponse, 'durationMs' | 'excerpt'> & {
  /**
   * URL of the request. If the URL of the webhook has changed since, the outcome does not count.
   */
  url: string;
};

export function* recordResponse(
  tx: Db,
  rules: Rules,
  leased: LeasedDelivery,
  answer: WebhookResponse & { payloadBytes: number },
  now: Date,
): Transaction<DeliveryDecision> {
  const { url } = leased.webhook;
  if (answer.outcome === 'withdrawn') {
    const untouched = yield* undoLease(tx, leased);
    const again = new Date(now.getTime() + (answer.retryAfterMs ?? 0));
    return untouched ? yield* putBack(untouched, now, again) : overResult;
  }
  const result =
    answer.outcome === 'delivered'
      ? yield* succeed(tx, leased, now)
      : yield* failOurs(tx, rules, leased, { ...answer, url }, now);
  yield* execute(finishAttempt, {
    id: leased.attempt.id,
    outcome: answer.outcome,
    durationMs: answer.durationMs,
    statusCode: answer.statusCode,
    payloadBytes: answer.payloadBytes,
    retryAfterMs: answer.retryAfterMs,
    nextAttemptAt: result.kind === 'retry' ? result.at : null,
    excerpt: answer.excerpt,
  });
  return result;
}

const overResult: DeliveryDecision = { kind: 'over' };

/** Undoes a lease after an internal fault; the delivery is due again at `at`. */
export function* releaseLease(tx: Db, leased: LeasedDelivery, at: Date): Transaction<void> {
  const details = yield* undoLease(tx, leased);
  if (details?.delivery.state !== 'in_flight') return;
  yield* execute(changeDelivery, pendingAgain(details.delivery, at));
}

/**
 * Abandons a delivery whose mail is left out. This is no failure of the receiver, so the webhook
 * keeps its record.
 */
export function* abandonLeftOut(
  tx: Db,
  leased: LeasedDelivery,
  now: Date,
): Transaction<DeliveryDecision> {
  const details = yield* undoLease(tx, leased);
  if (details?.delivery.state !== 'in_flight') return overResult;
  const closed = { state: 'abandoned', reason: LEFT_OUT } as const;
  yield* execute(changeDelivery, closeChange(details.delivery, closed, now));
  return { kind: 'abandoned', state: 'abandoned' };
}

/** Records a failed attempt and schedules the next one, if the schedule has one. */
export function* failDelivery(
  tx: Db,
  rules: Rules,
  details: DeliveryDetails,
  failed: Failed,
  now: Date,
): Transaction<DeliveryDecision> {
  const delivery = { ...details.delivery, failures: details.delivery.failures + 1 };
  const due = checkAttemptAllowed(details, now);
  if ('state' in due) {
    yield* execute(changeDelivery, closeChange(delivery, due, now));
    return { kind: 'over', state: due.state };
  }
  const { webhook } = due;
  const place = {
    workspaceId: due.mailbox.workspaceId,
    mailbox: due.mailbox.name,
    mailboxId: webhook.mailboxId,
    webhookId: webhook.id,
    ...(due.mailbox.labels ? { labels: due.mailbox.labels } : {}),
  };
  const isOnRecord = delivery.trigger === 'event' && failed.url === webhook.url;
  if (failed.statusCode === GONE && rules.pauseOn410 && isOnRecord) {
    yield* query(updateWebhook(tx, webhook.mailboxId, webhook.id, pauseChange('gone', now)));
    const held = { state: 'held', reason: 'webhook_paused' } as const;
    yield* execute(changeDelivery, closeChange(delivery, held, now));
    return { kind: 'over', state: held.state, paused: place };
  }
  const delay = nextDelay(rules, delivery.trigger, delivery.failures, failed);
  const change = isOnRecord ? failureChange(rules, webhook, delay === null, now) : null;
  if (change) yield* query(updateWebhook(tx, webhook.mailboxId, webhook.id, change));
  if (delay !== null) {
    const at = new Date(now.getTime() + delay);
    yield* execute(changeDelivery, pendingAgain(delivery, at));
    return { kind: 'retry', at, delayMs: delay };
  }
  const { id, failures, interruptions } = delivery;
  yield* execute(changeDelivery, {
    ...{ id, failures, interruptions },
    state: 'abandoned',
    reason: failed.outcome,
    nextAttemptAt: null,
    finishedAt: now,
  });
  return {
    kind: 'abandoned',
    state: 'abandoned',
    ...(change?.active === false ? { paused: place } : {}),
  };
}

/**
 * Records the failure of an attempt whose lease still holds. The rows are read again, because
 * during the request another attempt can change the failure record of the webhook, and a user its
 * URL.
 */
function* failOurs(
  tx: Db,
  rules: Rules,
  leased: LeasedDelivery,
  failed: Failed,
  now: Date,
): Transaction<DeliveryDecision> {
  const details = yield* ours(leased);
  // A delivery that was closed during the request stays closed.
  if (details?.delivery.state !== 'in_flight') return overResult;
  return yield* failDelivery(tx, rules, details, failed, now);
}

/** Records a success. It counts even after the lease has expired, so nothing is read. */
function* succeed(
  tx: Db,
  { delivery, webhook }: LeasedDelivery,
  now: Date,
): Transaction<DeliveryDecision> {
  const { id, redeliveryOf } = delivery;
  const completed = yield* execute(completeDelivery, { id, now });
  if (completed.length === 0) return overResult;
  if (redeliveryOf !== null) yield* query(closeRedelivered(tx, redeliveryOf, now));
  if (delivery.trigger !== 'test') {
    const minuteAgo = new Date(now.getTime() - MINUTE_MS);
    yield* execute(recordSuccess, { id: webhook.id, url: webhook.url, now, minuteAgo });
  }
  return { kind: 'over', state: 'delivered' };
}

/** The current delivery, or null if another process leased it since. */
function* ours(leased: LeasedDelivery): Transaction<DeliveryDetails | null> {
  const [details] = yield* execute(deliveryDetails, { id: leased.delivery.id });
  return details?.delivery.leaseToken === leased.leaseToken ? details : null;
}

/** Removes the attempt of a lease. */
function* undoLease(tx: Db, leased: LeasedDelivery): Transaction<DeliveryDetails | null> {
  yield* query(removeAttempt(tx, leased.attempt.id));
  const details = yield* ours(leased);
  if (details) yield* query(uncountAttempt(tx, leased.delivery.id));
  return details;
}

/** Records that nothing was sent: the delivery is closed for the reason, or is due at `again`. */
function* putBack(details: DeliveryDetails, now: Date, again: Date): Transaction<DeliveryDecision> {
  const { delivery } = details;
  if (delivery.state !== 'in_flight') return overResult;
  const due = checkAttemptAllowed(details, now);
  yield* execute(
    changeDelivery,
    'state' in due ? closeChange(delivery, due, now) : pendingAgain(delivery, again),
  );
  return 'state' in due ? { kind: 'over', state: due.state } : { kind: 'later', at: again };
}

function pendingAgain({ id, failures, interruptions }: DeliveryRow, nextAttemptAt: Date) {
  const counts = { id, failures, interruptions };
  return { ...counts, state: 'pending', reason: null, nextAttemptAt, finishedAt: null } as const;
}
