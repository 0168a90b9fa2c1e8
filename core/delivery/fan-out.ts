/**
 * Creates one delivery per message and webhook of its mailbox, in the transaction of the message.
 */
import { newId } from '../ids.ts';
import type { DeliveryRow } from '../../db/statements/deliveries.ts';
import { type Transaction, type Db, insertIgnoring } from '../../db/store.ts';
import { runIdList } from '../../db/statements/id-lists.ts';
import { webhooksOf } from '../../db/statements/webhooks.ts';

/**
 * Writes the deliveries of these messages and returns them by message id; deliveries to a paused
 * webhook are held.
 */
export function* fanOut(
  tx: Db,
  messages: { id: string; mailboxId: string }[],
  now: Date,
): Transaction<Map<string, DeliveryRow[]>> {
  const owed = new Map<string, DeliveryRow[]>();
  if (messages.length === 0) return owed;
  const mailboxIds = [...new Set(messages.map(({ mailboxId }) => mailboxId))];
  const webhooks = yield* runIdList(webhooksOf, mailboxIds, {});
  if (webhooks.length === 0) return owed;
  // One mail can have 1,000 messages, whose mailboxes can have 50 webhooks each.
  const webhooksByMailbox = new Map<string, typeof webhooks>();
  for (const webhook of webhooks) {
    const others = webhooksByMailbox.get(webhook.mailboxId);
    if (others) others.push(webhook);
    else webhooksByMailbox.set(webhook.mailboxId, [webhook]);
  }
  for (const { id: messageId, mailboxId } of messages) {
    const deliveries = (webhooksByMailbox.get(mailboxId) ?? []).map(({ id: webhookId, active }) =>
      newDelivery({ webhookId, messageId, trigger: 'event', held: !active, now }),
    );
    owed.set(messageId, deliveries);
  }
  yield* insertIgnoring(tx.t.deliveries, [...owed.values()].flat());
  return owed;
}

/** The row of a new delivery. */
export function newDelivery({
  webhookId,
  messageId,
  trigger,
  redeliveryOf = null,
  held = false,
  now,
}: {
  webhookId: string;
  messageId: string;
  trigger: DeliveryRow['trigger'];
  redeliveryOf?: string | null;
  held?: boolean;
  now: Date;
}): DeliveryRow {
  return {
    id: newId('delivery', now.getTime()),
    webhookId,
    messageId,
    trigger,
    redeliveryOf,
    state: held ? 'held' : 'pending',
    reason: held ? 'webhook_paused' : null,
    attempts: 0,
    failures: 0,
    interruptions: 0,
    nextAttemptAt: held ? null : now,
    leaseToken: null,
    leaseUntil: null,
    createdAt: now,
    finishedAt: null,
  };
}
