import { and, desc, eq } from 'drizzle-orm';
import type { Db } from './store.js';
import type { Tables } from './tables.js';

export type WebhookRow = Tables['webhooks']['$inferSelect'];

export const insertWebhook = (db: Db, row: WebhookRow) =>
  db.insert(db.t.webhooks).values(row).returning();

/** A mailbox's webhooks, newest first. */
export const listWebhooks = (db: Db, mailboxId: string) =>
  db
    .select()
    .from(db.t.webhooks)
    .where(eq(db.t.webhooks.mailboxId, mailboxId))
    .orderBy(desc(db.t.webhooks.createdAt), desc(db.t.webhooks.id));

export const removeWebhook = (db: Db, mailboxId: string, id: string) =>
  db
    .delete(db.t.webhooks)
    .where(and(eq(db.t.webhooks.id, id), eq(db.t.webhooks.mailboxId, mailboxId)))
    .returning({ id: db.t.webhooks.id });

export const removeWebhooksOf = (db: Db, mailboxId: string) =>
  db
    .delete(db.t.webhooks)
    .where(eq(db.t.webhooks.mailboxId, mailboxId))
    .returning({ id: db.t.webhooks.id });
