/**
 * Creates one delivery per message and webhook of its mailbox, in the transaction of the message,
 * and adds the jobs of deliveries whose rows are committed.
 */
import { newId } from '../ids.ts';
import type { DeliveryRow } from '../../db/statements/deliveries.ts';
import { type Body, type Db, insertIgnoring } from '../../db/store.ts';
import { runIdList } from '../../db/statements/id-lists.ts';
import { webhooksOf } from '../../db/statements/webhooks.ts';
import { deliveryJob } from './jobs.ts';
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';

/** States in which a job does not run again. */
const isOver = new Set(['completed', 'failed', 'unknown']);

/** Number of jobs added at once, limited by the time limit of a Redis command (1.5 s). */
const BATCH = 100;

/** Number of deliveries of one mail or recovery that run with normal priority. */
const FIRST = 20;
/** Interval between the further ones, longer than a worker needs per request. */
const SPACING_MS = 4;

type Queueing = Pick<Context, 'queues' | 'log'>;

/**
 * Writes the deliveries of these messages and returns them by message id; deliveries to a paused
 * webhook are held.
 */
export function* fanOut(
  tx: Db,
  messages: { id: string; mailboxId: string }[],
  now: Date,
): Body<Map<string, DeliveryRow[]>> {
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

/**
 * Adds the jobs of the new deliveries of one mail. Deliveries of other mails wait for at most the
 * first of them, however many there are. A failure only causes a delay: the sweep adds jobs that
 * are missing.
 */
export async function queueDeliveries(
  context: Queueing & Pick<Context, 'delivery'>,
  rows: DeliveryRow[],
): Promise<void> {
  const pending = rows.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return;
  try {
    for (let from = 0; from < pending.length; from += BATCH) {
      const batch = pending.slice(from, from + BATCH);
      const jobs = batch.map((row, index) => {
        const job = toJob(row, from + index);
        // The run would be refused, and many such runs delay the deliveries behind them.
        const refused = context.delivery.limiter.refuseKnownBad(row.webhookId);
        return refused ? { ...job, delayMs: Math.max(job.delayMs, refused.delayMs) } : job;
      });
      await context.queues.enqueueAll(deliveryJob, jobs);
    }
  } catch (error) {
    context.log.warn('delivery jobs not queued, the sweep queues them later', {
      count: pending.length,
      fault: errorText(error),
    });
  }
}

/**
 * Same for deliveries that may already have a job. A finished job is replaced; any other stays.
 * @param position index of the first of them among the deliveries queued for the same reason.
 */
export async function requeueDeliveries(
  context: Queueing,
  rows: DeliveryRow[],
  position: number,
): Promise<void> {
  try {
    await Promise.all(rows.map((row, index) => requeueDelivery(context, row, position + index)));
  } catch (error) {
    context.log.warn('delivery jobs not queued, the sweep queues them later', {
      count: rows.length,
      fault: errorText(error),
    });
  }
}

/** Same for one delivery. @throws {AppError} `unavailable` if Redis is unavailable. */
export async function requeueDelivery(
  { queues }: Pick<Context, 'queues'>,
  row: DeliveryRow,
  position = 0,
): Promise<'added' | 'there'> {
  const state = await queues.stateOf(deliveryJob, row.id);
  if (!isOver.has(state)) return 'there';
  // Also if the job does not exist: remains of it after a loss of data in Redis would make the
  // addition a no-op.
  await queues.discard(deliveryJob, row.id);
  await queues.enqueueAll(deliveryJob, [toJob(row, position)]);
  return 'added';
}

/**
 * BullMQ runs jobs without a priority first, then those with the lowest number: the first jobs of
 * each mail precede the further ones of any mail. The further ones are also spread over time,
 * because a worker with thousands of webhooks at once would requeue most of them.
 */
function toJob({ id, webhookId, messageId, attempts }: DeliveryRow, position: number) {
  const payload = { deliveryId: id, webhookId, messageId, attempt: attempts + 1 };
  const delayMs = Math.max(0, position - FIRST) * SPACING_MS;
  return { payload, jobId: id, priority: Math.floor(position / FIRST), delayMs };
}
