import {
  type SQL,
  and,
  asc,
  count,
  desc,
  eq,
  exists,
  gt,
  isNotNull,
  isNull,
  lte,
  or,
  sql,
} from 'drizzle-orm';
import { type Db, type Store, bind, defineStatement } from '../store.ts';
import type { Tables } from '../schema/tables.ts';
import { defineIdListQuery } from './id-lists.ts';
import { type Label, type Reach, hasLabels, isLive, isLiveAtBound, isWithin } from './reach.ts';

export type MailboxRow = Tables['mailboxes']['$inferSelect'];
export type NewMailboxRow = Tables['mailboxes']['$inferInsert'];
export type MailboxLabelRow = Tables['mailboxLabels']['$inferInsert'];

/** The properties that a mailbox need not have. */
export type MailboxPropertyRow = Pick<
  MailboxRow,
  'id' | 'expiresAt' | 'labels' | 'clientId' | 'messagesExpireIn' | 'maxMessages'
>;

/** A mailbox that has just been marked deleted. */
export type EndedMailbox = Pick<MailboxRow, 'id' | 'name' | 'workspaceId' | 'labels' | 'expiresAt'>;

export const insertMailbox = (db: Db, row: NewMailboxRow) =>
  db.insert(db.t.mailboxes).values(row).onConflictDoNothing().returning();

/** The number of live mailboxes of the workspace. */
export const countLiveMailboxes = (db: Db, workspaceId: string, now: Date) =>
  db
    .select({ count: count() })
    .from(db.t.mailboxes)
    .where(and(eq(db.t.mailboxes.workspaceId, workspaceId), isLive(db, now)));

const mailboxByName = defineStatement<
  { workspaceId: string; name: string; now: Date },
  MailboxRow[]
>('mailbox-by-name', (db) => {
  const m = db.t.mailboxes;
  return db
    .select()
    .from(m)
    .where(
      and(
        eq(m.workspaceId, bind(m.workspaceId, 'workspaceId')),
        eq(m.name, bind(m.name, 'name')),
        isLiveAtBound(db),
      ),
    );
});

/** The mailbox of this name within the reach. */
export const mailboxInScope = (db: Db, reach: Reach, name: string) =>
  db
    .select()
    .from(db.t.mailboxes)
    .where(and(isWithin(db, reach), eq(db.t.mailboxes.name, name)));

/** Same as {@link mailboxInScope}, prepared where the reach has no scope. */
export async function readMailbox(
  store: Pick<Store, 'query' | 'execute'>,
  reach: Reach,
  name: string,
): Promise<MailboxRow | undefined> {
  const { workspaceId, scope, now } = reach;
  const [row] = scope
    ? await store.query(mailboxInScope, reach, name)
    : await store.execute(mailboxByName, { workspaceId, name, now });
  return row;
}

/** Which mailboxes within a reach are listed. */
export interface MailboxFilter {
  /** All of them are required. */
  labels: Label[];
  /** The start of the name, in lower case; empty for every name. */
  prefix: string;
}

const isListed = (db: Db, reach: Reach, { labels, prefix }: MailboxFilter) => {
  const start = sql`substr(${db.t.mailboxes.name}, 1, ${prefix.length})`;
  const isNamed = prefix === '' ? undefined : sql`${start} = ${prefix}`;
  return and(isWithin(db, reach), hasLabels(db, labels), isNamed);
};

/**
 * Mailboxes after a position, newest first, each with its number of unexpired messages, which is
 * counted separately in the index.
 */
export const mailboxPage = (
  db: Db,
  reach: Reach,
  filter: MailboxFilter,
  { after, limit }: { after?: Pick<MailboxRow, 'createdAt' | 'id'>; limit: number },
) => {
  const { mailboxes: m, messages } = db.t;
  const { id, name, createdAt, expiresAt, labels, clientId, messagesExpireIn, maxMessages } = m;
  const properties = { expiresAt, labels, clientId, messagesExpireIn, maxMessages };
  const shown = db
    .select({ shown: count() })
    .from(messages)
    .where(and(eq(messages.mailboxId, m.id), gt(messages.expiresAt, reach.now)));
  const messageCount = sql<number>`(${shown})`.mapWith(Number);
  const isOlder =
    after && sql`(${createdAt}, ${id}) < (${sql.param(after.createdAt, createdAt)}, ${after.id})`;
  return db
    .select({ id, name, createdAt, messageCount, ...properties })
    .from(m)
    .where(and(isListed(db, reach, filter), isOlder))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
};

/** The number of mailboxes that are listed. */
export const countMailboxes = (db: Db, reach: Reach, filter: MailboxFilter) =>
  db
    .select({ count: count() })
    .from(db.t.mailboxes)
    .where(isListed(db, reach, filter));

/** The ids of the mailboxes within the reach that have all of these labels. */
export const mailboxIdsLabeled = (db: Db, reach: Reach, labels: Label[]) =>
  db
    .select({ id: db.t.mailboxes.id })
    .from(db.t.mailboxes)
    .where(and(isWithin(db, reach), hasLabels(db, labels)));

/** The mailboxes within the reach that have one of these client ids. */
export const mailboxesByClient = (db: Db, reach: Reach, clientIds: string[]) =>
  db
    .select()
    .from(db.t.mailboxes)
    .where(and(isWithin(db, reach), db.among(db.t.mailboxes.clientId, clientIds)));

/** Marks the mailbox of this name deleted, which releases the name. */
export const markMailboxDeleted = (db: Db, reach: Reach, name: string) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set({ deletedAt: reach.now })
    .where(and(isWithin(db, reach), eq(m.name, name)))
    .returning();
};

/** Marks those of these mailboxes deleted that have all of the labels. */
export const markLabeledDeleted = (db: Db, reach: Reach, ids: string[], labels: Label[]) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set({ deletedAt: reach.now })
    .where(and(db.among(m.id, ids), isWithin(db, reach), hasLabels(db, labels)))
    .returning(ended(db));
};

/** Marks up to `limit` mailboxes deleted that have expired. */
export const markExpiredDeleted = (db: Db, now: Date, limit: number) => {
  const m = db.t.mailboxes;
  const expired = db
    .select({ id: m.id })
    .from(m)
    .where(and(isNull(m.deletedAt), isNotNull(m.expiresAt), lte(m.expiresAt, now)))
    .orderBy(asc(m.expiresAt))
    .limit(limit);
  return db
    .update(m)
    .set({ deletedAt: now })
    .where(sql`${m.id} in ${expired}`)
    .returning(ended(db));
};

/** Marks the expired mailboxes deleted that have one of these names or client ids. */
export const releaseExpired = (
  db: Db,
  { workspaceId, now }: Reach,
  taken: { names: string[]; clientIds: string[] },
) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set({ deletedAt: now })
    .where(
      and(
        eq(m.workspaceId, workspaceId),
        isNull(m.deletedAt),
        isNotNull(m.expiresAt),
        lte(m.expiresAt, now),
        or(db.among(m.name, taken.names), db.among(m.clientId, taken.clientIds)),
      ),
    )
    .returning(ended(db));
};

function ended(db: Db) {
  const { id, name, workspaceId, labels, expiresAt } = db.t.mailboxes;
  return { id, name, workspaceId, labels, expiresAt };
}

/** Marks all mailboxes of the workspace deleted. */
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

/** Marks those of these mailboxes deleted that are not. */
export const markMailboxesDeletedById = (db: Db, ids: string[], now: Date) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set({ deletedAt: now })
    .where(and(db.among(m.id, ids), isNull(m.deletedAt)))
    .returning({ id: m.id });
};

/** Changes the mailbox of this name; at least one column must be given. */
export const updateMailbox = (
  db: Db,
  reach: Reach,
  name: string,
  change: Pick<Partial<MailboxRow>, 'labels' | 'expiresAt' | 'messagesExpireIn' | 'maxMessages'>,
) => {
  const m = db.t.mailboxes;
  return db
    .update(m)
    .set(change)
    .where(and(isWithin(db, reach), eq(m.name, name)))
    .returning();
};

export const removeLabelsOf = (db: Db, mailboxId: string) =>
  db
    .delete(db.t.mailboxLabels)
    .where(eq(db.t.mailboxLabels.mailboxId, mailboxId))
    .returning({ id: db.t.mailboxLabels.id });

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

/** The mailboxes of the workspace with these ids, deleted or not. */
export const mailboxesById = (db: Db, workspaceId: string, ids: string[]) => {
  const m = db.t.mailboxes;
  return db
    .select()
    .from(m)
    .where(and(db.among(m.id, ids), eq(m.workspaceId, workspaceId)));
};

/** The workspace of a mailbox, deleted or not. */
export const workspaceOfMailbox = (db: Db, id: string) =>
  db
    .select({ workspaceId: db.t.mailboxes.workspaceId })
    .from(db.t.mailboxes)
    .where(eq(db.t.mailboxes.id, id));

/** The mailboxes within the reach that have one of these names. */
export const mailboxesByName = (db: Db, reach: Reach, names: string[]) => {
  const m = db.t.mailboxes;
  return db
    .select({ id: m.id, name: m.name })
    .from(m)
    .where(and(isWithin(db, reach), db.among(m.name, names)));
};

/** The ids of those mailboxes that are live. */
export const liveMailboxIds = (db: Db, ids: string[], now: Date) =>
  db
    .select({ id: db.t.mailboxes.id })
    .from(db.t.mailboxes)
    .where(and(db.among(db.t.mailboxes.id, ids), isLive(db, now)));

/** The live ones of the listed mailboxes at `now`, with their workspaces. */
export const liveMailboxesAmong = defineIdListQuery<
  { now: Date },
  Pick<MailboxRow, 'id' | 'name' | 'workspaceId' | 'labels' | 'messagesExpireIn'>
>(
  'live-mailboxes-among',
  ({ t }) => t.mailboxes.id,
  (db, isListed) => {
    const { id, name, workspaceId, labels, messagesExpireIn } = db.t.mailboxes;
    return db
      .select({ id, name, workspaceId, labels, messagesExpireIn })
      .from(db.t.mailboxes)
      .where(and(isListed, isLiveAtBound(db)));
  },
);

/** The id of a mailbox with a limit on its messages, `skipped` of them after the given id. */
export const mailboxWithMessageLimit = (db: Db, afterId: string, skipped: number) => {
  const m = db.t.mailboxes;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(gt(m.id, afterId), isLimited(db)))
    .orderBy(asc(m.id))
    .limit(1)
    .offset(skipped);
};

/**
 * The live mailboxes after one id, up to another, that have an expired message or more messages
 * than they keep. Each costs a seek in the index, and a count of its messages if they are limited.
 */
export const mailboxesOverMessageLimit = (db: Db, afterId: string, untilId: string, now: Date) => {
  const { mailboxes: m, messages } = db.t;
  const { id, name, workspaceId, labels, messagesExpireIn, maxMessages } = m;
  const expired = db
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.mailboxId, m.id), lte(messages.expiresAt, now)));
  const shown = db
    .select({ shown: count() })
    .from(messages)
    .where(and(eq(messages.mailboxId, m.id), gt(messages.expiresAt, now)));
  return db
    .select({ id, name, workspaceId, labels, messagesExpireIn, maxMessages })
    .from(m)
    .where(
      and(
        gt(m.id, afterId),
        lte(m.id, untilId),
        isLimited(db),
        isLive(db, now),
        or(and(isNotNull(messagesExpireIn), exists(expired)), sql`${maxMessages} < (${shown})`),
      ),
    );
};

/** The condition of the index `mailboxes_with_limits`. */
function isLimited({ t: { mailboxes: m } }: Db) {
  return or(isNotNull(m.messagesExpireIn), isNotNull(m.maxMessages));
}

/** Mailboxes with their domains, ordered by id, after the given id. */
export const directoryPage = (db: Db, afterId: string, limit: number) =>
  directoryRows(db, gt(db.t.mailboxes.id, afterId)).orderBy(asc(db.t.mailboxes.id)).limit(limit);

/** Those of these mailboxes that are not deleted. */
export const directoryByIds = (db: Db, ids: string[]) =>
  directoryRows(db, db.among(db.t.mailboxes.id, ids));

/** Mailboxes with one of these names, under any domain. */
export const directoryByNames = (db: Db, names: string[]) =>
  directoryRows(db, db.among(db.t.mailboxes.name, names));

/** Includes expired mailboxes until they are marked deleted: SMTP names them as expired. */
function directoryRows(db: Db, condition: SQL) {
  const { mailboxes, workspaces } = db.t;
  const { id, name, expiresAt, workspaceId } = mailboxes;
  return db
    .select({ id, name, expiresAt, workspaceId, domain: workspaces.domain })
    .from(mailboxes)
    .innerJoin(workspaces, eq(workspaces.id, mailboxes.workspaceId))
    .where(and(condition, isNull(mailboxes.deletedAt)));
}
