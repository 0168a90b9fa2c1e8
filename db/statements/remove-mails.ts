/** Statements that remove mails and messages with their dependent rows. */
import {
  type SQL,
  type SQLWrapper,
  and,
  asc,
  eq,
  inArray,
  isNotNull,
  lte,
  notExists,
  or,
} from 'drizzle-orm';
import { closeDeliveriesOf } from './deliveries.ts';
import { type Body, type Db, step } from '../store.ts';

export interface Removed {
  count: number;
  /** Blobs that are unreferenced once the transaction has committed. */
  blobKeys: string[];
}

/**
 * Removes up to `limit` expired mails with their messages. Returns the unreferenced blobs and the
 * number of removed mails. The statements select the mails by a subquery: building a list of ids
 * costs more than the removal.
 */
export function* removeExpired(tx: Db, now: Date, limit: number): Body<Removed> {
  const { mails, messages, attachments, caughtRecipients, claims, deliveries } = tx.t;
  const expired = () =>
    tx
      .select({ id: mails.id })
      .from(mails)
      .where(lte(mails.expiresAt, now))
      .orderBy(asc(mails.expiresAt), asc(mails.id))
      .limit(limit);
  const blobKeys = yield* blobKeysOf(tx, expired());
  const owed = yield* step(
    tx
      .selectDistinct({ id: messages.id })
      .from(messages)
      .innerJoin(deliveries, eq(deliveries.messageId, messages.id))
      .where(inArray(messages.mailId, expired())),
  );
  yield* endDeliveries(tx, owed, { state: 'expired', reason: null, finishedAt: now });
  const expiredMessages = tx
    .select({ id: messages.id })
    .from(messages)
    .where(inArray(messages.mailId, expired()));
  for (const table of [caughtRecipients, claims]) {
    yield* step(tx.delete(table).where(inArray(table.messageId, expiredMessages)));
  }
  yield* removeFromIndex(tx, expired());
  yield* step(tx.delete(messages).where(inArray(messages.mailId, expired())));
  yield* step(tx.delete(attachments).where(inArray(attachments.mailId, expired())));
  const removed = yield* step(
    tx.delete(mails).where(inArray(mails.id, expired())).returning({ id: mails.id }),
  );
  return { count: removed.length, blobKeys };
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
): Body<Removed> {
  return yield* removeMessages(tx, eq(tx.t.messages.mailboxId, mailboxId), now, limit);
}

/** Same as {@link removeMessagesOf} for one message. */
export function* removeMessage(tx: Db, id: string, now: Date): Body<Removed> {
  return yield* removeMessages(tx, eq(tx.t.messages.id, id), now, 1);
}

/** Same as {@link removeMessagesOf} for these messages. */
export function* removeMessagesById(tx: Db, ids: string[], now: Date): Body<Removed> {
  return yield* removeMessages(tx, inArray(tx.t.messages.id, ids), now);
}

/** Same as {@link removeMessagesById}; their open deliveries end as expired. */
export function* removeExpiredById(tx: Db, ids: string[], now: Date): Body<Removed> {
  const end = { state: 'expired', reason: null, finishedAt: now } as const;
  return yield* removeMessages(tx, inArray(tx.t.messages.id, ids), now, undefined, end);
}

/** Same as {@link removeMessagesOf} for all messages of a mail in a mailbox. */
export function* removeMailFrom(
  tx: Db,
  mailboxId: string,
  mailId: string,
  now: Date,
): Body<Removed> {
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
): Body<Removed> {
  const { messages } = tx.t;
  const query = tx.select({ id: messages.id, mailId: messages.mailId }).from(messages).where(which);
  const found = yield* step(limit === undefined ? query : query.limit(limit));
  if (found.length === 0) return { count: 0, blobKeys: [] };
  const ids = found.map(({ id }) => id);
  for (const table of [tx.t.caughtRecipients, tx.t.claims]) {
    yield* step(tx.delete(table).where(inArray(table.messageId, ids)));
  }
  yield* step(tx.delete(messages).where(inArray(messages.id, ids)));
  yield* endDeliveries(tx, found, end);
  const blobKeys = yield* emptyUnshown(tx, [...new Set(found.map(({ mailId }) => mailId))]);
  return { count: found.length, blobKeys };
}

type DeliveryEnd = Parameters<typeof closeDeliveriesOf>[2];

function* endDeliveries(tx: Db, messages: { id: string }[], end: DeliveryEnd): Body<void> {
  const ids = messages.map(({ id }) => id);
  if (ids.length > 0) yield* step(closeDeliveriesOf(tx, ids, end));
}

/** Clears the content of the mails that have no message left. The rows stay until they expire. */
function* emptyUnshown(tx: Db, mailIds: string[]): Body<string[]> {
  const { mails, messages, attachments } = tx.t;
  const shown = tx.select({ id: messages.id }).from(messages).where(eq(messages.mailId, mails.id));
  const unshown = yield* step(
    tx
      .select({ id: mails.id })
      .from(mails)
      .where(and(inArray(mails.id, mailIds), notExists(shown))),
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
  const noContent = { text: null, html: null, raw: null, rawBlobKey: null, parseError: null };
  yield* step(tx.delete(attachments).where(inArray(attachments.mailId, ids)));
  yield* step(
    tx
      .update(mails)
      .set({ ...nothing, ...noContent, attachmentCount: 0 })
      .where(inArray(mails.id, ids)),
  );
  return blobKeys;
}

/** A trigger removes the words on SQLite. */
function* removeFromIndex(tx: Db, mailIds: string[] | SQLWrapper): Body<void> {
  for (const table of [tx.t.searchPending, tx.t.searchEntries]) {
    yield* step(tx.delete(table).where(inArray(table.id, mailIds)));
  }
}

function* blobKeysOf(tx: Db, mailIds: string[] | SQLWrapper): Body<string[]> {
  const { mails, attachments } = tx.t;
  const rows = yield* step(
    tx
      .select({ raw: mails.rawBlobKey, attachment: attachments.blobKey })
      .from(mails)
      .leftJoin(attachments, and(eq(attachments.mailId, mails.id), isNotNull(attachments.blobKey)))
      .where(
        and(
          inArray(mails.id, mailIds),
          or(isNotNull(mails.rawBlobKey), isNotNull(attachments.blobKey)),
        ),
      ),
  );
  return [...new Set(rows.flatMap(({ raw, attachment }) => [raw, attachment]))].filter(
    (key): key is string => key !== null,
  );
}
