/** Statements that read messages of several mailboxes in the order of arrival. */
import { and, desc, eq, gt, gte, inArray, sql } from 'drizzle-orm';
import type { Db } from '../store.js';
import { type Label, type Reach, hasLabels, isWithin } from './reach.js';
import type { Position } from './messages.js';

/** The mailboxes that a search is about: those within the reach with all of the labels and names. */
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
  const { messages: m } = db.t;
  return found(db)
    .where(isSearched(db, searched, slice))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(limit);
};

/** Those of these messages that are visible within the reach. */
export const visibleAmong = (db: Db, reach: Reach, ids: string[]) => {
  const { messages: m, mailboxes } = db.t;
  return db
    .select({ id: m.id })
    .from(m)
    .innerJoin(mailboxes, eq(mailboxes.id, m.mailboxId))
    .where(and(inArray(m.id, ids), gt(m.expiresAt, reach.now), isWithin(db, reach)));
};

function found(db: Db) {
  const { messages: m, mailboxes } = db.t;
  const { id, receivedAt, bodyBytes } = m;
  return db
    .select({ id, receivedAt, bodyBytes, name: mailboxes.name, labels: mailboxes.labels })
    .from(mailboxes)
    .innerJoin(m, eq(m.mailboxId, mailboxes.id));
}

function isSearched(db: Db, { reach, labels, names }: SearchedMailboxes, { from, before }: Slice) {
  const { messages: m, mailboxes } = db.t;
  return and(
    isWithin(db, reach),
    hasLabels(db, labels),
    ...names.map((name) => eq(mailboxes.name, name)),
    gt(m.expiresAt, reach.now),
    gte(m.receivedAt, from),
    sql`(${m.receivedAt}, ${m.id}) < (${sql.param(before.receivedAt, m.receivedAt)}, ${before.id})`,
  );
}
