import { and, count, desc, eq, gt, isNotNull, isNull, lt, or } from 'drizzle-orm';
import { type Db, bind, defineStatement } from '../store.ts';
import { defineIdListQuery } from './id-lists.ts';
import type { Tables } from '../schema/tables.ts';

export type WebhookRow = Tables['webhooks']['$inferSelect'];
type NewWebhook = Tables['webhooks']['$inferInsert'];

export const insertWebhook = (db: Db, row: NewWebhook) =>
  db.insert(db.t.webhooks).values(row).returning();

/** The webhooks of a mailbox, newest first. */
export const selectWebhooks = (db: Db, mailboxId: string) =>
  db
    .select()
    .from(db.t.webhooks)
    .where(eq(db.t.webhooks.mailboxId, mailboxId))
    .orderBy(desc(db.t.webhooks.createdAt), desc(db.t.webhooks.id));

/** One webhook of a mailbox. */
export const webhookById = (db: Db, mailboxId: string, id: string) =>
  db
    .select()
    .from(db.t.webhooks)
    .where(isIn(db, mailboxId, id));

/**
 * The active and paused webhooks of the listed mailboxes, to which new messages are delivered or
 * held.
 */
export const webhooksOf = defineIdListQuery<
  Record<string, never>,
  Pick<WebhookRow, 'id' | 'mailboxId' | 'active'>
>(
  'webhooks-of',
  ({ t }) => t.webhooks.mailboxId,
  (db, isListed) => {
    const { id, mailboxId, active } = db.t.webhooks;
    return db.select({ id, mailboxId, active }).from(db.t.webhooks).where(isListed);
  },
);

export const countWebhooks = (db: Db, mailboxId: string) =>
  db.select({ count: count() }).from(db.t.webhooks).where(eq(db.t.webhooks.mailboxId, mailboxId));

export const updateWebhook = (db: Db, mailboxId: string, id: string, change: Partial<NewWebhook>) =>
  db
    .update(db.t.webhooks)
    .set(change)
    .where(isIn(db, mailboxId, id))
    .returning();

export const removeWebhook = (db: Db, mailboxId: string, id: string) =>
  db
    .delete(db.t.webhooks)
    .where(isIn(db, mailboxId, id))
    .returning({ id: db.t.webhooks.id });

/** The ids of the webhooks of all mailboxes of a workspace. */
export const webhookIdsOf = (db: Db, workspaceId: string) => {
  const { webhooks, mailboxes } = db.t;
  return db
    .select({ id: webhooks.id })
    .from(webhooks)
    .innerJoin(mailboxes, eq(mailboxes.id, webhooks.mailboxId))
    .where(eq(mailboxes.workspaceId, workspaceId));
};

export const removeWebhooksOf = (db: Db, mailboxId: string) =>
  db
    .delete(db.t.webhooks)
    .where(eq(db.t.webhooks.mailboxId, mailboxId))
    .returning({ id: db.t.webhooks.id });

/**
 * Ends a run of failures, unless the URL of the webhook has changed. Writes only on a change: the
 * time of the last success has a precision of one minute.
 */
export const recordSuccess = defineStatement<
  { id: string; url: string; now: Date; minuteAgo: Date },
  { id: string }[]
>('webhook-success', (db) => {
  const w = db.t.webhooks;
  return db
    .update(w)
    .set({ lastSuccessAt: bind(w.lastSuccessAt, 'now'), failingSince: null, abandonedInARow: 0 })
    .where(
      and(
        eq(w.id, bind(w.id, 'id')),
        eq(w.url, bind(w.url, 'url')),
        or(
          isNotNull(w.failingSince),
          gt(w.abandonedInARow, 0),
          isNull(w.lastSuccessAt),
          lt(w.lastSuccessAt, bind(w.lastSuccessAt, 'minuteAgo')),
        ),
      ),
    )
    .returning({ id: w.id });
});

const isIn = ({ t: { webhooks: w } }: Db, mailboxId: string, id: string) =>
  and(eq(w.id, id), eq(w.mailboxId, mailboxId));
