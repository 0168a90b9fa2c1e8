/** Statements that read messages of several mailboxes in the order of arrival. */
import { and, asc, count, desc, eq, gt, gte, sql } from 'drizzle-orm';
import type { Db } from '../store.ts';
import { type Label, type Reach, hasLabels, isWithin } from './reach.ts';
import type { Position } from './messages.ts';

/**
 * The mailboxes that a search is about: those within the reach with all of the labels and names.
 */
export interface SearchedMailboxes {
  reach: Reach;
  labels: Label[];
  names: string[];
}

/** The part of the order of arrival from a time to a position, exclusive. */
export interface Slice {
  from: Date;
  before: Position;
}

/** Messages of a slice, newest first. */
export const messagesWithin = (
  db: Db,
  searched: SearchedMailboxes,
  slice: Slice,
  limit: number,
) => {
  const { messages: m, mailboxes } = db.t;
  return db
    .select(columns(db))
    .from(mailboxes)
    .innerJoin(m, eq(m.mailboxId, mailboxes.id))
    .where(isSearched(db, searched, slice))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(limit);
};

/**
 * The arrival of the newest message of a slice; null without one. Each mailbox is asked separately,
 * which is a seek in the index.
 */
export const newestArrival = (db: Db, searched: SearchedMailboxes, slice: Slice) => {
  const { messages: m, mailboxes } = db.t;
  const newest = db
    .select({ receivedAt: m.receivedAt })
    .from(m)
    .where(and(eq(m.mailboxId, mailboxes.id), isInSlice(db, searched, slice)))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(1);
  return db
    .select({ receivedAt: sql<Date | null>`max((${newest}))`.mapWith(m.receivedAt) })
    .from(mailboxes)
    .where(isSearchedMailbox(db, searched));
};

/**
 * The messages of these mails in a slice, newest first. SQLite reads the tables of a cross join in
 * the given order; otherwise it would read all messages of the mailboxes.
 */
export const messagesOfMails = (
  db: Db,
  searched: SearchedMailboxes,
  slice: Slice,
  mailIds: string[],
) => {
  const { messages: m, mailboxes } = db.t;
  return db
    .select(columns(db))
    .from(m)
    .crossJoin(mailboxes)
    .where(
      and(
        db.among(m.mailId, mailIds),
        eq(mailboxes.id, m.mailboxId),
        isSearched(db, searched, slice),
      ),
    )
    .orderBy(desc(m.receivedAt), desc(m.id));
};

/** The messages in a slice whose mail is not indexed, newest first. */
export const unindexedMessages = (db: Db, searched: SearchedMailboxes, slice: Slice) => {
  const { messages: m, mailboxes, searchPending: p } = db.t;
  return db
    .select(columns(db))
    .from(p)
    .crossJoin(m)
    .crossJoin(mailboxes)
    .where(and(eq(m.mailId, p.id), eq(mailboxes.id, m.mailboxId), isSearched(db, searched, slice)))
    .orderBy(desc(m.receivedAt), desc(m.id));
};

/** The number of mails that are not indexed, or `limit` if there are more. */
export const countUnindexed = (db: Db, limit: number) => {
  const { searchPending: p } = db.t;
  const some = db.select({ id: p.id }).from(p).limit(limit).as('some');
  return db.select({ count: count() }).from(some);
};

/** The mails to index next, from an id, with the sizes of their sources in bytes. */
export const pendingMails = (db: Db, fromId: string, limit: number) => {
  const { searchPending: p, mails } = db.t;
  return db
    .select({ id: p.id, size: mails.size })
    .from(p)
    .innerJoin(mails, eq(mails.id, p.id))
    .where(and(gte(p.id, fromId), eq(p.isSkipped, false)))
    .orderBy(asc(p.id))
    .limit(limit);
};

/** What is indexed of these mails. */
export const mailsToIndex = (db: Db, ids: string[]) => {
  const { id, fromAddress, fromName, to, cc, subject, text, html } = db.t.mails;
  return db
    .select({ id, fromAddress, fromName, to, cc, subject, text, html })
    .from(db.t.mails)
    .where(db.among(id, ids));
};

/** What is indexed of the messages of these mails. */
export const messagesToIndex = (db: Db, mailIds: string[]) => {
  const { messages: m, mailboxes } = db.t;
  const { mailId, mailboxId, tag, recipient, envelopeTo, receivedAt } = m;
  return db
    .select({
      mailId,
      mailboxId,
      tag,
      recipient,
      envelopeTo,
      receivedAt,
      workspaceId: mailboxes.workspaceId,
    })
    .from(m)
    .innerJoin(mailboxes, eq(mailboxes.id, m.mailboxId))
    .where(db.among(m.mailId, mailIds));
};

/** Ends that these mails are pending; they have no content. */
export const dropPending = (db: Db, ids: string[]) =>
  db
    .delete(db.t.searchPending)
    .where(db.among(db.t.searchPending.id, ids))
    .returning({ id: db.t.searchPending.id });

/** Leaves these mails out of the index; searches read them. */
export const skipPending = (db: Db, ids: string[]) =>
  db
    .update(db.t.searchPending)
    .set({ isSkipped: true })
    .where(db.among(db.t.searchPending.id, ids))
    .returning({ id: db.t.searchPending.id });

/** Those of these messages that are visible within the reach. */
export const visibleAmong = (db: Db, reach: Reach, ids: string[]) => {
  const { messages: m, mailboxes } = db.t;
  return db
    .select({ id: m.id })
    .from(m)
    .crossJoin(mailboxes) // read in this order, see messagesOfMails
    .where(
      and(
        db.among(m.id, ids),
        eq(mailboxes.id, m.mailboxId),
        gt(m.expiresAt, reach.now),
        isWithin(db, reach),
      ),
    );
};

function columns({ t: { messages: m, mailboxes } }: Db) {
  const { id, receivedAt, bodyBytes } = m;
  return { id, receivedAt, bodyBytes, name: mailboxes.name, labels: mailboxes.labels };
}

function isSearched(db: Db, searched: SearchedMailboxes, slice: Slice) {
  return and(isSearchedMailbox(db, searched), isInSlice(db, searched, slice));
}

function isSearchedMailbox(db: Db, { reach, labels, names }: SearchedMailboxes) {
  const { name } = db.t.mailboxes;
  return and(
    isWithin(db, reach),
    hasLabels(db, labels),
    // oxlint-disable-next-line mayfly/bounded-arguments -- a query has at most 50 terms
    ...names.map((wanted) => eq(name, wanted)),
  );
}

function isInSlice(db: Db, { reach }: SearchedMailboxes, { from, before }: Slice) {
  const m = db.t.messages;
  return and(
    gt(m.expiresAt, reach.now),
    gte(m.receivedAt, from),
    sql`(${m.receivedAt}, ${m.id}) < (${sql.param(before.receivedAt, m.receivedAt)}, ${before.id})`,
  );
}
