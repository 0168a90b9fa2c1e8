/**
 * Statements that read the messages of a workspace for waits. A message that is not visible within
 * the reach has no name: it counts toward the limit, which bounds what the statement reads.
 */
import { type SQL, and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Db } from '../store.ts';
import { type MessagePosition, numbered } from './messages.ts';
import { type Reach, isUsable } from './reach.ts';

interface Range {
  /** Only messages up to this number. */
  upTo: number;
  /** Only messages received after this time. */
  since?: Date;
}

/** Messages after a place in the order of commits, in this order. */
export const workspaceMessagesByNumber = (
  db: Db,
  reach: Reach,
  { number, id, ...range }: Range & { number: number; id: string },
  limit: number,
) => {
  const m = db.t.messages;
  return messagesIn(db, reach, range, sql`(${m.number}, ${m.id}) > (${number}, ${id})`)
    .orderBy(asc(m.number), asc(m.id))
    .limit(limit);
};

/** Messages before a position in the order of arrival, newest first. */
export const newestWorkspaceMessages = (
  db: Db,
  reach: Reach,
  { before, ...range }: Range & { before: MessagePosition },
  limit: number,
) => {
  const m = db.t.messages;
  const time = sql.param(before.receivedAt, m.receivedAt);
  return messagesIn(db, reach, range, sql`(${m.receivedAt}, ${m.id}) < (${time}, ${before.id})`)
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(limit);
};

/** Those of these messages that are in the workspace. */
export const workspaceMessagesAmong = (db: Db, reach: Reach, ids: string[]) =>
  messagesIn(db, reach, {}, db.among(db.t.messages.id, ids));

const messagesIn = (db: Db, reach: Reach, { upTo, since }: Partial<Range>, isInPlace: SQL) => {
  const { messages: m, mailboxes } = db.t;
  const isVisible = and(
    eq(mailboxes.id, m.mailboxId),
    isUsable(db, reach),
    gt(m.expiresAt, reach.now),
  );
  return db
    .select({ ...numbered(db), name: mailboxes.name })
    .from(m)
    .leftJoin(mailboxes, isVisible)
    .where(
      and(
        eq(m.workspaceId, reach.workspaceId),
        isInPlace,
        upTo === undefined ? undefined : lte(m.number, upTo),
        since ? gt(m.receivedAt, since) : undefined,
      ),
    );
};

/**
 * Those of these mailboxes that are usable within the reach, of any workspace. With a condition on
 * the workspace, SQLite would read all its mailboxes.
 */
export const usableMailboxes = (db: Db, reach: Reach, ids: string[]) => {
  const { id, workspaceId } = db.t.mailboxes;
  return db
    .select({ id, workspaceId })
    .from(db.t.mailboxes)
    .where(and(db.among(id, ids), isUsable(db, reach)));
};
