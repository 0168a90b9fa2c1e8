/** The delivery log of a webhook, and manual operations on deliveries. */
import {
  type AttemptRow,
  type DeliveryRow,
  attemptsOf,
  deliveryById,
  deliveryPage,
} from '../../db/statements/deliveries.ts';
import { newDelivery } from './fan-out.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import { messageById } from '../../db/statements/messages.ts';
import { type Transaction, type Db, insertIgnoring, execute, query } from '../../db/store.ts';
import type { DeliveryState } from '../../db/schema/tables.ts';
import { type WebhookRow, webhookById } from '../../db/statements/webhooks.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { presentInterrupted } from './lease.ts';
import { AppError } from '../errors.ts';
import { decodeDeliveryCursor, encodeDeliveryCursor } from '../messages/cursor.ts';
import type { Caller } from '../auth/caller.ts';
import { testMessageId } from '../webhooks/payload.ts';
import { requireWebhookRow } from '../webhooks/webhooks.ts';

/** A delivery with all its attempts in order. */
export interface Delivery {
  delivery: DeliveryRow;
  attempts: AttemptRow[];
}

/** A webhook and its mailbox. */
export interface WebhookReference {
  mailboxName: string;
  webhookId: string;
}

type Reading = Pick<Context, 'now' | 'store'>;

/** Sorts after any delivery: the start of the first page. */
const NEWEST = 'dlv_~';

/**
 * One page of the log, newest first. @throws {AppError} `not_found`, `invalid_request` for the
 * cursor.
 */
export async function listDeliveries(
  context: Reading,
  caller: Caller,
  { mailboxName, webhookId }: WebhookReference,
  { limit, after, state }: { limit: number; after?: string; state?: DeliveryState },
): Promise<{ deliveries: Delivery[]; nextCursor: string | null }> {
  const before = after === undefined ? NEWEST : decodeDeliveryCursor(after);
  const webhook = await requireWebhookRow(context, caller, mailboxName, webhookId);
  const rows = await context.store.query(deliveryPage, webhook.id, {
    before,
    state: state ?? null,
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    deliveries: await withAttempts(context, page),
    nextCursor: last && rows.length > limit ? encodeDeliveryCursor(last.id) : null,
  };
}

/** @throws {AppError} `not_found`. */
export async function requireDelivery(
  context: Reading,
  caller: Caller,
  { mailboxName, webhookId }: WebhookReference,
  id: string,
): Promise<Delivery> {
  const webhook = await requireWebhookRow(context, caller, mailboxName, webhookId);
  const rows = await context.store.query(deliveryById, webhook.id, id);
  const [found] = await withAttempts(context, rows);
  return found ?? missing(id);
}

/**
 * Delivers a message again, at once and in one attempt, as a new delivery. The original keeps its
 * schedule, unless the redelivery succeeds.
 * @throws {AppError} `not_found`, `webhook_paused`, `message_gone`, `unauthorized`.
 */
export async function redeliver(
  context: Context,
  caller: Caller,
  { mailboxName, webhookId }: WebhookReference,
  id: string,
): Promise<Delivery> {
  const { mailboxId } = await requireWebhookRow(context, caller, mailboxName, webhookId);
  const now = new Date(context.now());
  return start(context, caller, function* (tx) {
    const [original] = yield* query(deliveryById(tx, webhookId, id));
    if (!original) return missing(id);
    yield* requireActive(tx, mailboxId, webhookId);
    const { messageId, trigger } = original;
    if (trigger === 'test') {
      throw new AppError(
        'message_gone',
        'Test events cannot be redelivered. Send a new test event instead.',
      );
    }
    const shown = yield* execute(messageById, { mailboxId, id: messageId, now });
    if (shown.length === 0) {
      throw new AppError(
        'message_gone',
        'The message of this delivery was deleted or has expired. It cannot be redelivered.',
      );
    }
    const redeliveryOf = original.redeliveryOf ?? id;
    return newDelivery({ webhookId, messageId, trigger: 'manual', redeliveryOf, now });
  });
}

/**
 * Sends a sample event in one attempt, even while the webhook is paused. The outcome does not
 * affect the failure record of the webhook.
 * @throws {AppError} `not_found`, `unauthorized`.
 */
export async function sendTestEvent(
  context: Context,
  caller: Caller,
  { mailboxName, webhookId }: WebhookReference,
): Promise<Delivery> {
  const { mailboxId } = await requireWebhookRow(context, caller, mailboxName, webhookId);
  const now = new Date(context.now());
  const messageId = testMessageId(now.getTime());
  return start(context, caller, function* (tx) {
    yield* requireWebhook(tx, mailboxId, webhookId);
    return newDelivery({ webhookId, messageId, trigger: 'test', now });
  });
}

/** Writes the delivery that the body creates, and queues it. */
async function start(
  context: Context,
  caller: Caller,
  body: (tx: Db) => Transaction<DeliveryRow>,
): Promise<Delivery> {
  const delivery = await transactionAs(context, caller, function* (tx) {
    const row = yield* body(tx);
    yield* insertIgnoring(tx.t.deliveries, [row]);
    return row;
  });
  await queueDeliveries(context, [{ delivery, workspaceId: caller.workspace.id }]);
  return { delivery, attempts: [] };
}

function* requireWebhook(tx: Db, mailboxId: string, id: string): Transaction<WebhookRow> {
  const [webhook] = yield* query(webhookById(tx, mailboxId, id));
  if (!webhook) throw new AppError('not_found', `No such webhook: "${id}".`);
  return webhook;
}

/** @throws {AppError} `not_found`, `webhook_paused`. */
export function* requireActive(tx: Db, mailboxId: string, id: string): Transaction<void> {
  const { active } = yield* requireWebhook(tx, mailboxId, id);
  if (!active) {
    throw new AppError('webhook_paused', 'The webhook is paused. Resume it first.');
  }
}

async function withAttempts(context: Reading, rows: DeliveryRow[]): Promise<Delivery[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const attempts = await context.store.query(attemptsOf, ids);
  return rows.map((delivery) => ({
    delivery,
    attempts: attempts
      .filter(({ deliveryId }) => deliveryId === delivery.id)
      .map((attempt) => presentInterrupted(delivery, attempt, context.now())),
  }));
}

function missing(id: string): never {
  throw new AppError('not_found', `No such delivery: "${id.slice(0, 64)}".`);
}
