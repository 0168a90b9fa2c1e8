import {
  type SQL,
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  sql,
} from 'drizzle-orm';
import { type Db, bind, defineStatement } from '../store.js';
import type { Tables } from '../schema/tables.js';

export type MailboxRow = Tables['mailboxes']['$inferSelect'];
type NewMailboxRow = Tables['mailboxes']['$inferInsert'];

export const insertMailbox = (db: Db, row: NewMailboxRow) =>
  db.insert(db.t.mailboxes).values(row).onConflictDoNothing().returning();

export const countLiveMailboxes = (db: Db, workspaceId: string) =>
  db
    .select({ count: count() })
    .from(db.t.mailboxes)
    .where(and(eq(db.t.mailboxes.workspaceId, workspaceId), isNull(db.t.mailboxes.deletedAt)));

/** The live mailbox of this name in the workspace. */
export const mailboxByName = defineStatement<{ workspaceId: string; name: string }, MailboxRow[]>(
  'mailbox-by-name',
  (db) => {
    const m = db.t.mailboxes;
    return db
      .select()
      .from(m)
      .where(
        and(
          eq(m.workspaceId, bind(m.workspaceId, 'workspaceId')),
          eq(m.name, bind(m.name, 'name')),
          isNull(m.deletedAt),
        ),
      );
  },
);

/**
 * The live mailboxes of the workspace, newest first, each with its number of unexpired messages.
 * Each mailbox is counted separately in the index: for 10,000 mailboxes this takes less than half
 * the time of a GROUP BY over all messages.
 */
export const selectMailboxes = (db: Db, workspaceId: string, now: Date) => {
  const { mailboxes, messages } = db.t;
  const { id, name, createdAt } = mailboxes;
  const shown = db
    .select({ shown: count() })
    .from(messages)
    .where(and(eq(messages.mailboxId, mailboxes.id), gt(messages.expiresAt, now)));
  return db
    .select({ id, name, createdAt, messageCount: sql<number>`(${shown})`.mapWith(Number) })
    .from(mailboxes)
    .where(and(eq(mailboxes.workspaceId, workspaceId), isNull(mailboxes.deletedAt)))
    .orderBy(desc(mailboxes.createdAt), desc(mailboxes.id));
};

/** Marks the live mailbox of this name deleted, which releases the name. */
export const markMailboxDeleted = (db: Db, workspaceId: string, name: string, now: Date) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set({ deletedAt: now })
    .where(and(eq(m.workspaceId, workspaceId), eq(m.name, name), isNull(m.deletedAt)))
    .returning();
};

/** Marks all live mailboxes of the workspace deleted. */
export const markMailboxesDeleted = (db: Db, workspaceId: string, now: Date) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set({ deletedAt: now })
    .where(and(eq(m.workspaceId, workspaceId), isNull(m.deletedAt)))
    .returning({ id: m.id, name: m.name });
};

/** The ids of up to `limit` deleted mailboxes of the workspace. */
export const deletedMailboxesOf = (db: Db, workspaceId: string, limit: number) => {
  const m = db.t.mailboxes;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.workspaceId, workspaceId), isNotNull(m.deletedAt)))
    .limit(limit);
};

/** Returns one row if the workspace has any mailbox, deleted or not. */
export const anyMailboxOf = (db: Db, workspaceId: string) =>
  db
    .select({ id: db.t.mailboxes.id })
    .from(db.t.mailboxes)
    .where(eq(db.t.mailboxes.workspaceId, workspaceId))
    .limit(1);

/** Marks this mailbox deleted if it is live. */
export const markMailboxDeletedById = (db: Db, id: string, now: Date) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set({ deletedAt: now })
    .where(and(eq(m.id, id), isNull(m.deletedAt)))
    .returning();
};

export const deletedMailboxes = (db: Db, limit: number) =>
  db
    .select({ id: db.t.mailboxes.id })
    .from(db.t.mailboxes)
    .where(isNotNull(db.t.mailboxes.deletedAt))
    .limit(limit);

export const removeMailbox = (db: Db, id: string) =>
  db
    .delete(db.t.mailboxes)
    .where(and(eq(db.t.mailboxes.id, id), isNotNull(db.t.mailboxes.deletedAt)))
    .returning({ id: db.t.mailboxes.id });

/** The mailbox of the workspace with this id, deleted or not. */
export const mailboxById = (db: Db, workspaceId: string, id: string) => {
  const m = db.t.mailboxes;
  return db
    .select()
    .from(m)
    .where(and(eq(m.id, id), eq(m.workspaceId, workspaceId)));
};

/** The live mailboxes of the workspace with one of these names. */
export const mailboxesByName = (db: Db, workspaceId: string, names: string[]) => {
  const m = db.t.mailboxes;
  return db
    .select({ id: m.id, name: m.name })
    .from(m)
    .where(and(eq(m.workspaceId, workspaceId), inArray(m.name, names), isNull(m.deletedAt)));
};

/** The ids of those mailboxes that are live. */
export const liveMailboxIds = (db: Db, ids: string[]) =>
  db
    .select({ id: db.t.mailboxes.id })
    .from(db.t.mailboxes)
    .where(and(inArray(db.t.mailboxes.id, ids), isNull(db.t.mailboxes.deletedAt)));

/** The workspaces of these mailboxes, including deleted mailboxes. */
export const workspacesOf = (db: Db, ids: string[]) =>
  db
    .selectDistinct({ id: db.t.mailboxes.workspaceId })
    .from(db.t.mailboxes)
    .where(inArray(db.t.mailboxes.id, ids));

/** The live ones of these mailboxes, with their workspaces. */
export const liveMailboxesAmong = (db: Db, ids: string[]) => {
  const { mailboxes } = db.t;
  return db
    .select({ id: mailboxes.id, name: mailboxes.name, workspaceId: mailboxes.workspaceId })
    .from(mailboxes)
    .where(and(inArray(mailboxes.id, ids), isNull(mailboxes.deletedAt)));
};

/** Live mailboxes with their domains, ordered by id, after the given id. */
export const directoryPage = (db: Db, afterId: string, limit: number) =>
  directoryRows(db, gt(db.t.mailboxes.id, afterId)).orderBy(asc(db.t.mailboxes.id)).limit(limit);

/** Live mailboxes with one of these names, under any domain. */
export const directoryByNames = (db: Db, names: string[]) =>
  directoryRows(db, inArray(db.t.mailboxes.name, names));

function directoryRows(db: Db, condition: SQL) {
  const { mailboxes, workspaces } = db.t;
  return db
    .select({ id: mailboxes.id, name: mailboxes.name, domain: workspaces.domain })
    .from(mailboxes)
    .innerJoin(workspaces, eq(workspaces.id, mailboxes.workspaceId))
    .where(and(condition, isNull(mailboxes.deletedAt)));
}
