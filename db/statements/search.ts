/** Statements that read messages of several mailboxes in the order of arrival. */
import { and, asc, count, desc, eq, gt, gte, isNull, sql } from 'drizzle-orm';
import type { Db } from '../store.ts';
import { type Label, type Reach, hasLabels, isUsable, isWithin, storedForms } from './reach.ts';
import type { MailboxRow } from './mailboxes.ts';
import type { MessagePosition } from './messages.ts';

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
  before: MessagePosition;
}

/** A mailbox, with what searches ask of it. */
export type SomeMailbox = Pick<MailboxRow, 'id' | 'name' | 'labels'>;

/** The mailboxes of the workspace with these names. */
export const mailboxesNamed = (db: Db, { workspaceId }: Reach, names: string[]) => {
  const { id, workspaceId: owner, name, deletedAt } = db.t.mailboxes;
  return db
    .select({ id })
    .from(db.t.mailboxes)
    .where(and(eq(owner, workspaceId), isNull(deletedAt), db.among(name, names)));
};

/** Up to `limit` mailboxes of the workspace with one of these labels, deleted or not. */
export const mailboxesLabeled = (
  db: Db,
  { workspaceId }: Reach,
  labels: Label[],
  limit: number,
) => {
  const l = db.t.mailboxLabels;
  const pairs = labels.flatMap((label) =>
    storedForms(label).map((value) => sql`(${label.key}, ${value})`),
  );
  return db
    .selectDistinct({ id: l.mailboxId })
    .from(l)
    .where(
      and(
        eq(l.workspaceId, workspaceId),
        sql`(${l.key}, ${l.value}) in (values ${sql.join(pairs, sql`, `)})`,
      ),
    )
    .limit(limit);
};

/**
 * Those of these mailboxes of the workspace that are searched. With a condition on the workspace,
 * SQLite would read all its mailboxes.
 */
export const mailboxesAmong = (db: Db, searched: SearchedMailboxes, ids: string[]) => {
  const { id, name, labels } = db.t.mailboxes;
  return db
    .select({ id, name, labels })
    .from(db.t.mailboxes)
    .where(and(db.among(id, ids), isUsable(db, searched.reach), isChosen(db, searched)));
};

/**
 * The messages of the workspace in a slice, newest first. Those that are not visible in a searched
 * mailbox have no name: they count toward the limit, which bounds what the statement reads.
 */
export const messagesOfWorkspace = (
  db: Db,
  searched: SearchedMailboxes,
  slice: Slice,
  limit: number,
) => {
  const { messages: m, mailboxes } = db.t;
  const { id, receivedAt, bodyBytes } = m;
  const { name, labels } = mailboxes;
  const { workspaceId, now } = searched.reach;
  const isVisible = and(
    eq(mailboxes.id, m.mailboxId),
    isSearchedMailbox(db, searched),
    gt(m.expiresAt, now),
  );
  return db
    .select({ id, receivedAt, bodyBytes, name, labels })
    .from(m)
    .leftJoin(mailboxes, isVisible)
    .where(and(eq(m.workspaceId, workspaceId), isInSlice(db, slice)))
    .orderBy(desc(receivedAt), desc(id))
    .limit(limit);
};

/**
 * Up to `limit` messages of these mailboxes in a slice, newest first. It starts at the newest of
 * the times at which a mailbox has that many, so that it reads at most twice the limit of each one.
 */
export const messagesOfMailboxes = (
  db: Db,
  ids: string[],
  { now, ...slice }: Slice & { now: Date },
  limit: number,
) => {
  const { messages: m, mailboxes } = db.t;
  const { id, mailboxId, receivedAt, bodyBytes } = m;
  const isVisible = gt(m.expiresAt, now);
  const last = db
    .select({ receivedAt })
    .from(m)
    .where(and(eq(mailboxId, mailboxes.id), isVisible, isInSlice(db, slice)))
    .orderBy(desc(receivedAt), desc(id))
    .limit(1)
    .offset(limit - 1);
  const start = db
    .select({ receivedAt: sql`max((${last}))` })
    .from(mailboxes)
    .where(db.among(mailboxes.id, ids));
  const orAll = sql.param(slice.from, receivedAt);
  // SQLite reads from the first of several lower bounds, so there is one.
  const isFromStart = sql`${receivedAt} >= coalesce((${start}), ${orAll})`;
  return db
    .select({ id, mailboxId, receivedAt, bodyBytes })
    .from(m)
    .where(and(db.among(mailboxId, ids), isVisible, isBefore(db, slice), isFromStart))
    .orderBy(desc(receivedAt), desc(id))
    .limit(limit);
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

/**
 * The number of mails that are not indexed, from an id, or `limit` if there are more. `first` is
 * the id of the first one, `next` that of the first one that is not skipped; null without one.
 */
export const countUnindexed = (db: Db, limit: number, fromId = '') => {
  const { searchPending: p } = db.t;
  const some = db
    .select({ id: p.id, isSkipped: p.isSkipped })
    .from(p)
    .where(gte(p.id, fromId))
    .orderBy(asc(p.id))
    .limit(limit)
    .as('some');
  return db
    .select({
      count: count(),
      first: sql<string | null>`min(${some.id})`,
      next: sql<string | null>`min(${some.id}) filter (where not ${some.isSkipped})`,
    })
    .from(some);
};

/** The mails to index next, from an id, with the sizes of their sources in bytes. */
export const unindexedMails = (db: Db, fromId: string, limit: number) => {
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
  const { mailId, mailboxId, tag, recipient, envelopeTo, receivedAt, facts } = m;
  return db
    .select({
      mailId,
      mailboxId,
      tag,
      recipient,
      envelopeTo,
      receivedAt,
      facts,
      workspaceId: mailboxes.workspaceId,
    })
    .from(m)
    .innerJoin(mailboxes, eq(mailboxes.id, m.mailboxId))
    .where(db.among(m.mailId, mailIds));
};

/** Ends that these mails are pending; they have no content. */
export const removeUnindexed = (db: Db, ids: string[]) =>
  db
    .delete(db.t.searchPending)
    .where(db.among(db.t.searchPending.id, ids))
    .returning({ id: db.t.searchPending.id });

/** Leaves these mails out of the index; searches read them. */
export const skipUnindexed = (db: Db, ids: string[]) =>
  db
    .update(db.t.searchPending)
    .set({ isSkipped: true })
    .where(db.among(db.t.searchPending.id, ids))
    .returning({ id: db.t.searchPending.id });

/** Mails that were left out of the index are pending again. */
export const retrySkipped = (db: Db) =>
  db
    .update(db.t.searchPending)
    .set({ isSkipped: false })
    .where(eq(db.t.searchPending.isSkipped, true))
    .returning({ id: db.t.searchPending.id });

/** Those of these messages that are visible within the reach. */
export const shownAmong = (db: Db, reach: Reach, ids: string[]) => {
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
  return and(
    isSearchedMailbox(db, searched),
    gt(db.t.messages.expiresAt, searched.reach.now),
    isInSlice(db, slice),
  );
}

function isSearchedMailbox(db: Db, searched: SearchedMailboxes) {
  return and(isWithin(db, searched.reach), isChosen(db, searched));
}

function isChosen(db: Db, { labels, names }: SearchedMailboxes) {
  const { name } = db.t.mailboxes;
  return and(
    hasLabels(db, labels),
    // oxlint-disable-next-line mayfly/bounded-arguments -- a query has at most 50 terms
    ...names.map((wanted) => eq(name, wanted)),
  );
}

function isInSlice(db: Db, slice: Slice) {
  return and(gte(db.t.messages.receivedAt, slice.from), isBefore(db, slice));
}

function isBefore(db: Db, { before }: Pick<Slice, 'before'>) {
  const m = db.t.messages;
  return sql`(${m.receivedAt}, ${m.id}) < (${sql.param(before.receivedAt, m.receivedAt)}, ${before.id})`;
}
