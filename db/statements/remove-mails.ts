/** Statements that remove mails and messages with their dependent rows. */
import { type SQL, and, asc, eq, gte, isNotNull, lte, notExists, or } from 'drizzle-orm';
import { closeDeliveriesOf } from './deliveries.ts';
import { type Transaction, type Db, query } from '../store.ts';

export interface RemovalResult {
  count: number;
  /** Blobs that are unreferenced once the transaction has committed. */
  blobKeys: string[];
}

export interface ExpiredRemovalResult extends RemovalResult {
  /** Mails removed; `count` is `limit` as well if only messages were removed. */
  mails: number;
  /** Expiry of the last mail, with which the next batch starts; null without one. */
  last: Date | null;
}

/**
 * Messages for each mail of a batch. Mails with more lose some in a batch, and are removed later.
 */
const MESSAGES_A_MAIL = 2;

/**
 * Removes up to `limit` mails that have expired since `from`, the oldest first, with their
 * messages. On PostgreSQL the index keeps entries of removed mails until a vacuum that no snapshot
 * delays, so a batch that starts at the beginning reads those of all batches before.
 */
export function* removeExpired(
  tx: Db,
  now: Date,
  limit: number,
  from = new Date(0),
): Transaction<ExpiredRemovalResult> {
  const { mails, messages, attachments, deliveries } = tx.t;
  const expired = yield* query(
    tx
      .select({ id: mails.id, expiresAt: mails.expiresAt })
      .from(mails)
      .where(and(gte(mails.expiresAt, from), lte(mails.expiresAt, now)))
      .orderBy(asc(mails.expiresAt))
      .limit(limit),
  );
  const last = expired.at(-1)?.expiresAt ?? null;
  if (last === null) return { count: 0, mails: 0, blobKeys: [], last };
  const ids = expired.map(({ id }) => id);
  const most = limit * MESSAGES_A_MAIL;
  const shown = yield* query(
    tx.select({ id: messages.id }).from(messages).where(tx.among(messages.mailId, ids)).limit(most),
  );
  const messageIds = shown.map(({ id }) => id);
  const owed = yield* query(
    tx
      .selectDistinct({ id: deliveries.messageId })
      .from(deliveries)
      .where(tx.among(deliveries.messageId, messageIds)),
  );
  yield* endDeliveries(tx, owed, { state: 'expired', reason: null, finishedAt: now });
  yield* removeRowsOf(tx, messageIds);
  if (shown.length === most) return { count: limit, mails: 0, blobKeys: [], last: from };
  const blobKeys = yield* blobKeysOf(tx, ids);
  yield* removeFromIndex(tx, ids);
  yield* query(tx.delete(attachments).where(tx.among(attachments.mailId, ids)));
  yield* query(tx.delete(mails).where(tx.among(mails.id, ids)));
  return { count: ids.length, mails: ids.length, blobKeys, last };
}

/**
 * Removes up to `limit` messages of a mailbox, cancels their open deliveries, and clears the
 * content of mails without messages.
 */
export function* removeMessagesOf(
  tx: Db,
  mailboxId: string,
  now: Date,
  limit: number,
): Transaction<RemovalResult> {
  return yield* removeMessages(tx, eq(tx.t.messages.mailboxId, mailboxId), now, limit);
}

/** Same as {@link removeMessagesOf} for one message. */
export function* removeMessage(tx: Db, id: string, now: Date): Transaction<RemovalResult> {
  return yield* removeMessages(tx, eq(tx.t.messages.id, id), now, 1);
}

/** Same as {@link removeMessagesOf} for those of these messages with a number up to `upTo`. */
export function* removeMessagesById(
  tx: Db,
  ids: string[],
  now: Date,
  upTo = Number.MAX_SAFE_INTEGER,
): Transaction<RemovalResult> {
  const { id, number } = tx.t.messages;
  return yield* removeMessages(tx, and(tx.among(id, ids), lte(number, upTo)), now);
}

/** Same as {@link removeMessagesById}; their open deliveries end as expired. */
export function* removeExpiredById(tx: Db, ids: string[], now: Date): Transaction<RemovalResult> {
  const end = { state: 'expired', reason: null, finishedAt: now } as const;
  return yield* removeMessages(tx, tx.among(tx.t.messages.id, ids), now, undefined, end);
}

/** Same as {@link removeMessagesOf} for all messages of a mail in a mailbox. */
export function* removeMailFrom(
  tx: Db,
  mailboxId: string,
  mailId: string,
  now: Date,
): Transaction<RemovalResult> {
  const { messages } = tx.t;
  const shown = and(eq(messages.mailId, mailId), eq(messages.mailboxId, mailboxId));
  return yield* removeMessages(tx, shown, now);
}

function* removeMessages(
  tx: Db,
  which: SQL | undefined,
  now: Date,
  limit?: number,
  end: DeliveryEnd = { state: 'cancelled', reason: 'message_deleted', finishedAt: now },
): Transaction<RemovalResult> {
  const { messages } = tx.t;
  const all = tx.select({ id: messages.id, mailId: messages.mailId }).from(messages).where(which);
  const found = yield* query(limit === undefined ? all : all.limit(limit));
  if (found.length === 0) return { count: 0, blobKeys: [] };
  const ids = found.map(({ id }) => id);
  yield* removeRowsOf(tx, ids);
  yield* endDeliveries(tx, found, end);
  const blobKeys = yield* emptyUnshown(tx, [...new Set(found.map(({ mailId }) => mailId))]);
  return { count: found.length, blobKeys };
}

/** Removes messages with their claims and caught recipients. */
function* removeRowsOf(tx: Db, messageIds: string[]): Transaction<void> {
  for (const table of [tx.t.caughtRecipients, tx.t.claims]) {
    yield* query(tx.delete(table).where(tx.among(table.messageId, messageIds)));
  }
  yield* query(tx.delete(tx.t.messages).where(tx.among(tx.t.messages.id, messageIds)));
}

type DeliveryEnd = Parameters<typeof closeDeliveriesOf>[2];

function* endDeliveries(tx: Db, messages: { id: string }[], end: DeliveryEnd): Transaction<void> {
  const ids = messages.map(({ id }) => id);
  if (ids.length > 0) yield* query(closeDeliveriesOf(tx, ids, end));
}

/** Clears the content of the mails that have no message left. The rows stay until they expire. */
function* emptyUnshown(tx: Db, mailIds: string[]): Transaction<string[]> {
  const { mails, messages, attachments } = tx.t;
  const shown = tx.select({ id: messages.id }).from(messages).where(eq(messages.mailId, mails.id));
  const unshown = yield* query(
    tx
      .select({ id: mails.id })
      .from(mails)
      .where(and(tx.among(mails.id, mailIds), notExists(shown))),
  );
  const ids = unshown.map(({ id }) => id);
  if (ids.length === 0) return [];
  const blobKeys = yield* blobKeysOf(tx, ids);
  yield* removeFromIndex(tx, ids);
  const nothing = {
    fromAddress: '',
    fromName: null,
    to: [],
    cc: [],
    subject: '',
    messageIdHeader: null,
  };
  const noBody = { text: null, html: null, raw: null, rawBlobKey: null, parseError: null };
  const noContent = { ...noBody, details: null };
  yield* query(tx.delete(attachments).where(tx.among(attachments.mailId, ids)));
  yield* query(
    tx
      .update(mails)
      .set({ ...nothing, ...noContent, attachmentCount: 0 })
      .where(tx.among(mails.id, ids)),
  );
  return blobKeys;
}

/** A trigger removes the words on SQLite. */
function* removeFromIndex(tx: Db, mailIds: string[]): Transaction<void> {
  for (const table of [tx.t.searchPending, tx.t.searchEntries]) {
    yield* query(tx.delete(table).where(tx.among(table.id, mailIds)));
  }
}

function* blobKeysOf(tx: Db, mailIds: string[]): Transaction<string[]> {
  const { mails, attachments } = tx.t;
  const rows = yield* query(
    tx
      .select({ raw: mails.rawBlobKey, attachment: attachments.blobKey })
      .from(mails)
      .leftJoin(attachments, and(eq(attachments.mailId, mails.id), isNotNull(attachments.blobKey)))
      .where(
        and(
          tx.among(mails.id, mailIds),
          or(isNotNull(mails.rawBlobKey), isNotNull(attachments.blobKey)),
        ),
      ),
  );
  return [...new Set(rows.flatMap(({ raw, attachment }) => [raw, attachment]))].filter(
    (key): key is string => key !== null,
  );
}
