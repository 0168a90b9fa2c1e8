/** Statements on deliveries and their attempts. */
import {
  type SQL,
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  sql,
} from 'drizzle-orm';
import { type Transaction, type Db, bind, defineStatement, query } from '../store.ts';
import type { AttemptOutcome, DeliveryState, Tables } from '../schema/tables.ts';
import { isLiveAtBound } from './reach.ts';
import type { WebhookRow } from './webhooks.ts';

export type DeliveryRow = Tables['deliveries']['$inferSelect'];
export type AttemptRow = Tables['deliveryAttempts']['$inferSelect'];

/** A delivery with the current rows that decide whether its attempt is made. */
export interface DeliveryDetails {
  delivery: DeliveryRow;
  webhook: WebhookRow | null;
  mailbox: {
    name: string;
    workspaceId: string;
    labels: Record<string, string> | null;
    deletedAt: Date | null;
    expiresAt: Date | null;
  } | null;
  message: { mailId: string; expiresAt: Date; bodyBytes: number } | null;
}

export const deliveryDetails = defineStatement<{ id: string }, DeliveryDetails[]>(
  'delivery-details',
  (db) => {
    const { deliveries, webhooks, mailboxes, messages } = db.t;
    return db
      .select({
        delivery: deliveries,
        webhook: webhooks,
        mailbox: {
          name: mailboxes.name,
          workspaceId: mailboxes.workspaceId,
          labels: mailboxes.labels,
          deletedAt: mailboxes.deletedAt,
          expiresAt: mailboxes.expiresAt,
        },
        message: {
          mailId: messages.mailId,
          expiresAt: messages.expiresAt,
          bodyBytes: messages.bodyBytes,
        },
      })
      .from(deliveries)
      .leftJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
      .leftJoin(mailboxes, eq(mailboxes.id, webhooks.mailboxId))
      .leftJoin(messages, eq(messages.id, deliveries.messageId))
      .where(eq(deliveries.id, bind(deliveries.id, 'id')));
  },
);

/** A lease whose request is about to be sent. */
export interface LeaseCheck extends Record<string, unknown> {
  id: string;
  leaseToken: string;
  url: string;
  secret: string;
  now: Date;
}

/**
 * The end of the lease if it still holds, the webhook can be called, and its URL and secret are
 * those of the attempt; otherwise no row. The message is not read, because its removal closes the
 * delivery in the same transaction.
 */
export const sendableLease = defineStatement<LeaseCheck, { leaseUntil: Date | null }[]>(
  'delivery-sendable',
  (db) => {
    const { deliveries: d, webhooks: w, mailboxes } = db.t;
    return db
      .select({ leaseUntil: d.leaseUntil })
      .from(d)
      .innerJoin(w, eq(w.id, d.webhookId))
      .innerJoin(mailboxes, eq(mailboxes.id, w.mailboxId))
      .where(
        and(
          eq(d.id, bind(d.id, 'id')),
          eq(d.state, 'in_flight'),
          eq(d.leaseToken, bind(d.leaseToken, 'leaseToken')),
          or(eq(w.active, true), eq(d.trigger, 'test')),
          eq(w.url, bind(w.url, 'url')),
          eq(w.secret, bind(w.secret, 'secret')),
          isLiveAtBound(db),
        ),
      );
  },
);

/** Leases a delivery for one attempt if its state and number of attempts are unchanged. */
export const leaseDelivery = defineStatement<
  {
    id: string;
    state: DeliveryState;
    attempts: number;
    leaseToken: string;
    leaseUntil: Date;
    interruptions: number;
  },
  { attempts: number }[]
>('delivery-lease', (db) => {
  const d = db.t.deliveries;
  return db
    .update(d)
    .set({
      state: 'in_flight',
      leaseToken: bind(d.leaseToken, 'leaseToken'),
      leaseUntil: bind(d.leaseUntil, 'leaseUntil'),
      interruptions: bind(d.interruptions, 'interruptions'),
      attempts: sql`${d.attempts} + 1`,
    })
    .where(
      and(
        eq(d.id, bind(d.id, 'id')),
        eq(d.state, bind(d.state, 'state')),
        eq(d.attempts, bind(d.attempts, 'attempts')),
      ),
    )
    .returning({ attempts: d.attempts });
});

/** The new state of a delivery. Its lease ends. */
export interface DeliveryChange extends Record<string, unknown> {
  id: string;
  state: DeliveryState;
  reason: string | null;
  failures: number;
  interruptions: number;
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
}

export const changeDelivery = defineStatement<DeliveryChange, { id: string }[]>(
  'delivery-settle',
  (db) => {
    const d = db.t.deliveries;
    return db
      .update(d)
      .set({
        state: bind(d.state, 'state'),
        reason: bind(d.reason, 'reason'),
        failures: bind(d.failures, 'failures'),
        interruptions: bind(d.interruptions, 'interruptions'),
        nextAttemptAt: bind(d.nextAttemptAt, 'nextAttemptAt'),
        finishedAt: bind(d.finishedAt, 'finishedAt'),
        leaseToken: null,
        leaseUntil: null,
      })
      .where(eq(d.id, bind(d.id, 'id')))
      .returning({ id: d.id });
  },
);

/** Ends a delivery with its success, also one that is closed or leased again by now. */
export const completeDelivery = defineStatement<{ id: string; now: Date }, { id: string }[]>(
  'delivery-complete',
  (db) => {
    const d = db.t.deliveries;
    return db
      .update(d)
      .set({
        state: 'delivered',
        reason: null,
        nextAttemptAt: null,
        finishedAt: bind(d.finishedAt, 'now'),
        leaseToken: null,
        leaseUntil: null,
      })
      .where(eq(d.id, bind(d.id, 'id')))
      .returning({ id: d.id });
  },
);

export interface AttemptResult extends Record<string, unknown> {
  id: string;
  outcome: AttemptOutcome;
  durationMs: number | null;
  statusCode: number | null;
  payloadBytes: number | null;
  retryAfterMs: number | null;
  nextAttemptAt: Date | null;
  excerpt: string | null;
}

export const finishAttempt = defineStatement<AttemptResult, { id: string }[]>(
  'attempt-finish',
  (db) => {
    const a = db.t.deliveryAttempts;
    return db
      .update(a)
      .set({
        outcome: bind(a.outcome, 'outcome'),
        durationMs: bind(a.durationMs, 'durationMs'),
        statusCode: bind(a.statusCode, 'statusCode'),
        payloadBytes: bind(a.payloadBytes, 'payloadBytes'),
        retryAfterMs: bind(a.retryAfterMs, 'retryAfterMs'),
        nextAttemptAt: bind(a.nextAttemptAt, 'nextAttemptAt'),
        excerpt: bind(a.excerpt, 'excerpt'),
      })
      .where(eq(a.id, bind(a.id, 'id')))
      .returning({ id: a.id });
  },
);

/** Marks the attempt in flight as interrupted. */
export const interruptAttempt = (db: Db, deliveryId: string) => {
  const a = db.t.deliveryAttempts;
  return db
    .update(a)
    .set({ outcome: 'interrupted' })
    .where(and(eq(a.deliveryId, deliveryId), isNull(a.outcome)))
    .returning({ id: a.id });
};

/** Removes an attempt that was not made. */
export const removeAttempt = (db: Db, id: string) => {
  const a = db.t.deliveryAttempts;
  return db.delete(a).where(eq(a.id, id)).returning({ id: a.id });
};

/** The next attempt then gets the number of the removed one. */
export const uncountAttempt = (db: Db, id: string) => {
  const d = db.t.deliveries;
  return db
    .update(d)
    .set({ attempts: sql`${d.attempts} - 1` })
    .where(eq(d.id, id))
    .returning({ attempts: d.attempts });
};

/** Closes the open and held deliveries of these messages. */
export const closeDeliveriesOf = (
  db: Db,
  messageIds: string[],
  end: { state: 'cancelled' | 'expired'; reason: string | null; finishedAt: Date },
) => {
  const d = db.t.deliveries;
  return db
    .update(d)
    .set({ ...end, nextAttemptAt: null })
    .where(
      and(db.among(d.messageId, messageIds), db.among(d.state, ['pending', 'in_flight', 'held'])),
    )
    .returning({ id: d.id });
};

/**
 * Closes a delivery whose redelivery succeeded. The result of its own attempt in flight is then
 * ignored.
 */
export const closeRedelivered = (db: Db, id: string, finishedAt: Date) => {
  const d = db.t.deliveries;
  return db
    .update(d)
    .set({ state: 'delivered', reason: 'redelivered', nextAttemptAt: null, finishedAt })
    .where(and(eq(d.id, id), db.among(d.state, ['pending', 'in_flight', 'held', 'abandoned'])))
    .returning({ id: d.id });
};

/** The pending deliveries of these messages, one job each. */
export const pendingOf = (db: Db, messageIds: string[]) => {
  const d = db.t.deliveries;
  return db
    .select()
    .from(d)
    .where(and(db.among(d.messageId, messageIds), eq(d.state, 'pending')));
};

/** A position in the order of due times. */
export interface DuePosition {
  nextAttemptAt: Date;
  id: string;
}

/**
 * Deliveries due before `dueBefore`, and those whose lease has expired, in the order of their due
 * times, with their workspaces. The workspace is null if webhook or mailbox is removed.
 */
export const overdue = (
  db: Db,
  {
    dueBefore,
    now,
    after,
    limit,
  }: { dueBefore: Date; now: Date; after: DuePosition; limit: number },
) => {
  const { deliveries: d, webhooks, mailboxes } = db.t;
  return db
    .select({ delivery: d, workspaceId: mailboxes.workspaceId })
    .from(d)
    .leftJoin(webhooks, eq(webhooks.id, d.webhookId))
    .leftJoin(mailboxes, eq(mailboxes.id, webhooks.mailboxId))
    .where(
      and(
        isNotNull(d.nextAttemptAt),
        sql`(${d.nextAttemptAt}, ${d.id}) > (${sql.param(after.nextAttemptAt, d.nextAttemptAt)}, ${after.id})`,
        lte(d.nextAttemptAt, now),
        or(
          and(eq(d.state, 'pending'), lte(d.nextAttemptAt, dueBefore)),
          and(eq(d.state, 'in_flight'), lte(d.leaseUntil, now)),
        ),
      ),
    )
    .orderBy(asc(d.nextAttemptAt), asc(d.id))
    .limit(limit);
};

/** The due time of the oldest open attempt that is due at a time or later. */
export const longestDue = (db: Db, from: Date) => {
  const d = db.t.deliveries;
  return db
    .select({ nextAttemptAt: d.nextAttemptAt })
    .from(d)
    .where(and(isNotNull(d.nextAttemptAt), gte(d.nextAttemptAt, from)))
    .orderBy(asc(d.nextAttemptAt), asc(d.id))
    .limit(1);
};

/** One page of a webhook's deliveries, newest first. */
export const deliveryPage = (
  db: Db,
  webhookId: string,
  { before, state, limit }: { before: string; state: DeliveryState | null; limit: number },
) => {
  const d = db.t.deliveries;
  return db
    .select()
    .from(d)
    .where(
      and(
        eq(d.webhookId, webhookId),
        lt(d.id, before),
        state === null ? undefined : eq(d.state, state),
      ),
    )
    .orderBy(desc(d.id))
    .limit(limit);
};

export const deliveryById = (db: Db, webhookId: string, id: string) => {
  const d = db.t.deliveries;
  return db
    .select()
    .from(d)
    .where(and(eq(d.id, id), eq(d.webhookId, webhookId)));
};

/** The attempts of these deliveries, oldest first. */
export const attemptsOf = (db: Db, deliveryIds: string[]) => {
  const a = db.t.deliveryAttempts;
  return db
    .select()
    .from(a)
    .where(db.among(a.deliveryId, deliveryIds))
    .orderBy(asc(a.deliveryId), asc(a.number));
};

/** Selects the deliveries of a webhook to recover. */
export interface Recovery {
  webhookId: string;
  /** Includes only deliveries created at or after this time. */
  since: Date;
  /** Time of the request. Deliveries created or abandoned after it are not included. */
  askedAt: Date;
}

/**
 * Up to `limit` held or abandoned deliveries whose message exists at `now`, oldest first, after an
 * id.
 */
export const recoverable = (
  db: Db,
  recovery: Recovery,
  { now, after, limit }: { now: Date; after: string; limit: number },
) => {
  const { deliveries: d, messages } = db.t;
  return db
    .select({ id: d.id })
    .from(d)
    .innerJoin(messages, eq(messages.id, d.messageId))
    .where(
      and(
        eq(d.webhookId, recovery.webhookId),
        or(eq(d.state, 'held'), and(eq(d.state, 'abandoned'), lte(d.finishedAt, recovery.askedAt))),
        eq(d.trigger, 'event'),
        gt(d.id, after),
        gte(d.createdAt, recovery.since),
        lte(d.createdAt, recovery.askedAt),
        gt(messages.expiresAt, now),
      ),
    )
    .orderBy(asc(d.id))
    .limit(limit);
};

/** Number of deliveries that {@link recoverable} finds, counted up to `limit`. */
export const countRecoverable = (db: Db, recovery: Recovery, limit: number) => {
  const page = { now: recovery.askedAt, after: '', limit };
  const found = recoverable(db, recovery, page).as('recoverable');
  return db.select({ count: count() }).from(found);
};

/** Makes these deliveries pending with a fresh retry schedule. */
export const makeDeliveriesPending = (db: Db, ids: string[], now: Date) => {
  const d = db.t.deliveries;
  const fresh = { failures: 0, interruptions: 0, reason: null, finishedAt: null };
  return db
    .update(d)
    .set({ ...fresh, state: 'pending', nextAttemptAt: now })
    .where(and(db.among(d.id, ids), db.among(d.state, ['held', 'abandoned'])))
    .returning();
};

interface RemovedDeliveries {
  count: number;
  /** Id of the last removed one in the order of ids; null without one. */
  last: string | null;
}

/**
 * Removes up to `limit` closed deliveries whose ids sort between two, exclusive; `count` is the
 * number of removed rows. Held deliveries stay as long as their message, because they can be
 * recovered.
 */
export function* removeDeliveries(
  tx: Db,
  { after, before }: { after: string; before: string },
  limit: number,
): Transaction<RemovedDeliveries> {
  const { deliveries: d, messages } = tx.t;
  const message = tx.select({ id: messages.id }).from(messages).where(eq(messages.id, d.messageId));
  const isOver = or(ne(d.state, 'held'), notExists(message));
  const isBetween = and(gt(d.id, after), lt(d.id, before));
  return yield* removeWhere(tx, and(isBetween, isNull(d.nextAttemptAt), isOver), limit);
}

/** Removes up to `limit` closed deliveries of these webhooks, with their attempts. */
export function* removeDeliveriesTo(
  tx: Db,
  webhookIds: string[],
  limit: number,
): Transaction<RemovedDeliveries> {
  const { deliveries: d } = tx.t;
  const toThem = and(tx.among(d.webhookId, webhookIds), isNull(d.nextAttemptAt));
  return yield* removeWhere(tx, toThem, limit);
}

function* removeWhere(
  tx: Db,
  which: SQL | undefined,
  limit: number,
): Transaction<RemovedDeliveries> {
  const { deliveries: d, deliveryAttempts: a } = tx.t;
  const found = yield* query(
    tx.select({ id: d.id }).from(d).where(which).orderBy(asc(d.id)).limit(limit),
  );
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return { count: 0, last: null };
  yield* query(tx.delete(a).where(tx.among(a.deliveryId, ids)));
  yield* query(tx.delete(d).where(tx.among(d.id, ids)));
  return { count: ids.length, last: ids.at(-1) ?? null };
}

/** The reason of a delivery that was abandoned because its mail ends the process that reads it. */
export const LEFT_OUT = 'mail_ends_process';

/** Deliveries whose mail was left out are due now; a sweep adds their jobs. */
export const retryLeftOut = (db: Db, now: Date) => {
  const { deliveries: d } = db.t;
  return db
    .update(d)
    .set({ state: 'pending', reason: null, nextAttemptAt: now, finishedAt: null })
    .where(and(eq(d.state, 'abandoned'), eq(d.reason, LEFT_OUT)))
    .returning({ id: d.id });
};
