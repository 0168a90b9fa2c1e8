/** Statements that write and remove mails with what belongs to them. */
import {
  type SQL,
  type SQLWrapper,
  and,
  asc,
  eq,
  inArray,
  isNotNull,
  isNull,
  lte,
  notExists,
  or,
} from 'drizzle-orm';
import { type DeliveryRow, closeDeliveriesOf } from './deliveries.js';
import { fanOut } from './fan-out.js';
import { liveMailboxesAmong } from './mailboxes.js';
import { type Body, type Db, insertNew, step } from './store.js';
import type { Tables } from './tables.js';

type NewMail = Tables['mails']['$inferInsert'];
type NewMessage = Tables['messages']['$inferInsert'];
type NewAttachment = Tables['attachments']['$inferInsert'];

/** A mail ready to be written; the transaction adds when it expires. */
export interface MailRows {
  mail: Omit<NewMail, 'expiresAt'>;
  messages: Omit<NewMessage, 'expiresAt'>[];
  attachments: NewAttachment[];
  /** For a mail sent by a request: it needs this token to be valid still, and all its mailboxes to live. */
  conditions: { tokenId: string } | null;
}

/**
 * `gone`: every mailbox it was for (with conditions: any) has been deleted. `repeated`: it was stored
 * before. `revoked`: so is the token it depends on.
 */
export type StoreOutcome = 'stored' | 'repeated' | 'gone' | 'revoked';

export interface StoreResult {
  outcome: StoreOutcome;
  /** Its messages in mailboxes that live; where it is stored, these show it. */
  shown: { id: string; mailbox: { id: string; name: string; workspaceId: string } }[];
  /** What webhooks are owed of it, for jobs to be added once this is committed. */
  deliveries: DeliveryRow[];
}

/** Writes mails that are new, for the mailboxes that still live, in one transaction. */
export function* storeMails(
  tx: Db,
  mails: MailRows[],
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Body<StoreResult[]> {
  const wanted = new Set(
    mails.flatMap(({ messages }) => messages.map(({ mailboxId }) => mailboxId)),
  );
  const live = new Map(
    (yield* step(liveMailboxesAmong(tx, [...wanted]))).map((mailbox) => [mailbox.id, mailbox]),
  );
  const valid = yield* validTokens(tx, mails);
  const judged = mails.map((rows) => judge(rows, live, valid));
  const storable = judged.filter(({ outcome }) => outcome === 'stored');
  const inserted = yield* insertNew(
    tx.t.mails,
    storable.map(({ rows: { mail } }) => ({ ...mail, expiresAt })),
  );
  const fresh = storable.filter(({ rows }) => inserted.has(rows.mail.id));
  const messages = fresh.flatMap((mail) => mail.messages);
  yield* insertNew(
    tx.t.messages,
    messages.map((message) => ({ ...message, expiresAt })),
  );
  yield* insertNew(
    tx.t.attachments,
    fresh.flatMap(({ rows }) => rows.attachments),
  );
  const owed = yield* fanOut(tx, messages, now);
  return judged.map(({ rows, messages: kept, outcome }) => {
    const shown = kept.flatMap(({ id, mailboxId }) => {
      const mailbox = live.get(mailboxId);
      return mailbox ? [{ id, mailbox }] : [];
    });
    return outcome === 'stored' && !inserted.has(rows.mail.id)
      ? { outcome: 'repeated', shown, deliveries: [] }
      : { outcome, shown, deliveries: rows.messages.flatMap(({ id }) => owed.get(id) ?? []) };
  });
}

interface Judged {
  rows: MailRows;
  /** Those for mailboxes that live. */
  messages: MailRows['messages'];
  outcome: StoreOutcome;
}

function judge(
  rows: MailRows,
  live: ReadonlyMap<string, unknown>,
  validTokenIds: Set<string>,
): Judged {
  const messages = rows.messages.filter(({ mailboxId }) => live.has(mailboxId));
  const enough = rows.conditions ? messages.length === rows.messages.length : messages.length > 0;
  const revoked = rows.conditions && !validTokenIds.has(rows.conditions.tokenId);
  return { rows, messages, outcome: revoked ? 'revoked' : enough ? 'stored' : 'gone' };
}

function* validTokens(tx: Db, mails: MailRows[]): Body<Set<string>> {
  const { tokens } = tx.t;
  const ids = mails.flatMap(({ conditions }) => (conditions ? [conditions.tokenId] : []));
  if (ids.length === 0) return new Set();
  const valid = yield* step(
    tx
      .select({ id: tokens.id })
      .from(tokens)
      .where(and(inArray(tokens.id, ids), isNull(tokens.revokedAt))),
  );
  return new Set(valid.map(({ id }) => id));
}

/** The mail stored for this ingest id, also when its messages have been deleted since. */
export const mailByIngestId = (db: Db, ingestId: string) =>
  db.select({ id: db.t.mails.id }).from(db.t.mails).where(eq(db.t.mails.ingestId, ingestId));

/** The raw source of a mail: its bytes, or the blob they lie in. */
export const mailSource = (db: Db, id: string) => {
  const { raw, rawBlobKey } = db.t.mails;
  return db.select({ raw, rawBlobKey }).from(db.t.mails).where(eq(db.t.mails.id, id));
};

/**
 * Removes up to `limit` expired mails, messages included; returns the blobs they leave and how many went.
 * The statements name the mails by a subquery: a list of ids costs more to build than the removal itself.
 */
export function* removeExpired(tx: Db, now: Date, limit: number): Body<Removed> {
  const { mails, messages, attachments, deliveries } = tx.t;
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
  yield* step(tx.delete(messages).where(inArray(messages.mailId, expired())));
  yield* step(tx.delete(attachments).where(inArray(attachments.mailId, expired())));
  const removed = yield* step(
    tx.delete(mails).where(inArray(mails.id, expired())).returning({ id: mails.id }),
  );
  return { count: removed.length, blobKeys };
}

/**
 * Removes up to `limit` messages of a mailbox, and empties the mails that no message shows any more. What
 * webhooks are still owed of them is cancelled.
 */
export function* removeMessagesOf(
  tx: Db,
  mailboxId: string,
  now: Date,
  limit: number,
): Body<Removed> {
  return yield* removeMessages(tx, eq(tx.t.messages.mailboxId, mailboxId), now, limit);
}

/** The same for one message. */
export function* removeMessage(tx: Db, id: string, now: Date): Body<Removed> {
  return yield* removeMessages(tx, eq(tx.t.messages.id, id), now, 1);
}

/** The same for all messages that show one mail in one mailbox. */
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

function* removeMessages(tx: Db, which: SQL | undefined, now: Date, limit?: number): Body<Removed> {
  const { messages } = tx.t;
  const query = tx.select({ id: messages.id, mailId: messages.mailId }).from(messages).where(which);
  const found = yield* step(limit === undefined ? query : query.limit(limit));
  if (found.length === 0) return { count: 0, blobKeys: [] };
  yield* step(
    tx.delete(messages).where(
      inArray(
        messages.id,
        found.map(({ id }) => id),
      ),
    ),
  );
  yield* endDeliveries(tx, found, {
    state: 'cancelled',
    reason: 'message_deleted',
    finishedAt: now,
  });
  const blobKeys = yield* emptyUnshown(tx, [...new Set(found.map(({ mailId }) => mailId))]);
  return { count: found.length, blobKeys };
}

function* endDeliveries(
  tx: Db,
  messages: { id: string }[],
  end: Parameters<typeof closeDeliveriesOf>[2],
): Body<void> {
  const ids = messages.map(({ id }) => id);
  if (ids.length > 0) yield* step(closeDeliveriesOf(tx, ids, end));
}

export interface Removed {
  count: number;
  /** Blobs that nothing refers to any more once the transaction has committed. */
  blobKeys: string[];
}

/** Empties those of the mails that have no message left; the row stays until it expires. */
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
