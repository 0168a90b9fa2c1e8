/** Statements that write mails and find stored ones. */
import { and, eq } from 'drizzle-orm';
import type { DeliveryRow } from './deliveries.ts';
import { runIdList } from './id-lists.ts';
import { type MailboxRow, liveMailboxesAmong } from './mailboxes.ts';
import { nextNumbers } from './message-numbers.ts';
import { numbersOf } from './messages.ts';
import type { NewCaughtRecipient } from './caught-recipients.ts';
import { type Transaction, type Db, insertIgnoring, query } from '../store.ts';
import { isValid } from './tokens.ts';
import type { Tables } from '../schema/tables.ts';

type NewMail = Tables['mails']['$inferInsert'];
type NewMessage = Tables['messages']['$inferInsert'];
type NewAttachment = Tables['attachments']['$inferInsert'];

/** A mail to store. The transaction sets its expiry, and workspaces and numbers of its messages. */
export interface MailRows {
  mail: Omit<NewMail, 'expiresAt'>;
  messages: Omit<NewMessage, 'expiresAt' | 'number' | 'workspaceId'>[];
  attachments: NewAttachment[];
  /** Envelope recipients of the caught messages; absent if no message is caught. */
  caught?: NewCaughtRecipient[];
  /** For a mail of a send request: the token must be valid, and all mailboxes must exist. */
  conditions: { tokenId: string } | null;
}

/**
 * `gone`: all mailboxes of the mail (with conditions: at least one) are deleted. `repeated`: the
 * mail is already stored. `revoked`: the token of the conditions is revoked or has expired.
 */
export type StoreOutcome = 'stored' | 'repeated' | 'gone' | 'revoked';

export interface StoreResult {
  outcome: StoreOutcome;
  /** The messages stored, now or by an earlier run, in existing mailboxes. */
  shown: { id: string; mailbox: StoringMailbox; number: number }[];
  /** The deliveries stored. Their jobs are added after the commit. */
  deliveries: DeliveryRow[];
}

type StoringMailbox = Pick<
  MailboxRow,
  'id' | 'name' | 'workspaceId' | 'labels' | 'messagesExpireIn'
>;

/** Writes the deliveries of new messages in the same transaction and returns them by message id. */
export type FanOut = (
  tx: Db,
  messages: { id: string; mailboxId: string }[],
  now: Date,
) => Transaction<Map<string, DeliveryRow[]>>;

/**
 * Stores the new mails in the mailboxes that exist, in one transaction. The numbers are taken after
 * the bodies are written, because other transactions of the workspace wait from then on.
 */
export function* storeMails(
  tx: Db,
  mails: MailRows[],
  { now, expiresAt }: { now: Date; expiresAt: Date },
  fanOut: FanOut,
): Transaction<StoreResult[]> {
  const wanted = new Set(
    mails.flatMap(({ messages }) => messages.map(({ mailboxId }) => mailboxId)),
  );
  const live = new Map(
    (yield* runIdList(liveMailboxesAmong, [...wanted], { now })).map((one) => [one.id, one]),
  );
  const valid = yield* validTokens(tx, mails, now);
  const checked = mails.map((rows) => checkMail(rows, live, valid));
  const storable = checked.filter(({ outcome }) => outcome === 'stored');
  const inserted = yield* insertIgnoring(
    tx.t.mails,
    storable.map(({ rows: { mail } }) => ({ ...mail, expiresAt })),
  );
  const fresh = storable.filter(({ rows }) => inserted.has(rows.mail.id));
  const repeated = storable.filter(({ rows }) => !inserted.has(rows.mail.id));
  const messages = fresh.flatMap((mail) => mail.messages);
  /** The mail keeps its own expiry: until then its ingest id prevents a repeat. */
  const expiryIn = (mailboxId: string) => {
    const seconds = live.get(mailboxId)?.messagesExpireIn ?? null;
    if (seconds === null) return expiresAt;
    return new Date(Math.min(expiresAt.getTime(), now.getTime() + seconds * 1000));
  };
  yield* insertIgnoring(
    tx.t.attachments,
    fresh.flatMap(({ rows }) => rows.attachments),
  );
  const workspaceOf = ({ mailboxId }: { mailboxId: string }) =>
    live.get(mailboxId)?.workspaceId ?? '';
  const numbers = yield* nextNumbers(messages.map(workspaceOf));
  const numberOf = new Map(messages.map(({ id }, place) => [id, numbers[place] ?? 0]));
  yield* insertIgnoring(
    tx.t.messages,
    messages.map((message) => ({
      ...message,
      expiresAt: expiryIn(message.mailboxId),
      number: numberOf.get(message.id) ?? 0,
      workspaceId: workspaceOf(message),
    })),
  );
  const caught = fresh.flatMap(({ rows, messages: kept }) => {
    if (!rows.caught) return [];
    const stored = new Set(kept.map(({ id }) => id));
    return rows.caught.filter(({ messageId }) => stored.has(messageId));
  });
  yield* insertIgnoring(
    tx.t.caughtRecipients,
    caught.map((recipient) => ({ ...recipient, expiresAt: expiryIn(recipient.mailboxId) })),
  );
  const owed = yield* fanOut(tx, messages, now);
  const known = yield* runIdList(
    numbersOf,
    repeated.flatMap((mail) => mail.messages.map(({ id }) => id)),
    {},
  );
  for (const { id, number } of known) numberOf.set(id, number);
  return checked.map(({ rows, messages: kept, outcome }) => {
    const shown = kept.flatMap(({ id, mailboxId }) => {
      const mailbox = live.get(mailboxId);
      const number = numberOf.get(id);
      return mailbox && number !== undefined ? [{ id, mailbox, number }] : [];
    });
    return outcome === 'stored' && !inserted.has(rows.mail.id)
      ? { outcome: 'repeated', shown, deliveries: [] }
      : { outcome, shown, deliveries: rows.messages.flatMap(({ id }) => owed.get(id) ?? []) };
  });
}

interface CheckedMail {
  rows: MailRows;
  /** Messages in existing mailboxes. */
  messages: MailRows['messages'];
  outcome: StoreOutcome;
}

function checkMail(
  rows: MailRows,
  live: ReadonlyMap<string, unknown>,
  validTokenIds: Set<string>,
): CheckedMail {
  const messages = rows.messages.filter(({ mailboxId }) => live.has(mailboxId));
  const enough = rows.conditions ? messages.length === rows.messages.length : messages.length > 0;
  const revoked = rows.conditions && !validTokenIds.has(rows.conditions.tokenId);
  return { rows, messages, outcome: revoked ? 'revoked' : enough ? 'stored' : 'gone' };
}

function* validTokens(tx: Db, mails: MailRows[], now: Date): Transaction<Set<string>> {
  const { tokens } = tx.t;
  const ids = mails.flatMap(({ conditions }) => (conditions ? [conditions.tokenId] : []));
  if (ids.length === 0) return new Set();
  const valid = yield* query(
    tx
      .select({ id: tokens.id })
      .from(tokens)
      .where(and(tx.among(tokens.id, ids), isValid(tx, now))),
  );
  return new Set(valid.map(({ id }) => id));
}

/** The mail with this ingest id, even if its messages are deleted. */
export const mailByIngestId = (db: Db, ingestId: string) =>
  db.select({ id: db.t.mails.id }).from(db.t.mails).where(eq(db.t.mails.ingestId, ingestId));

/** The raw source of a mail: its bytes, or the key of its blob. */
export const mailSource = (db: Db, id: string) => {
  const { raw, rawBlobKey } = db.t.mails;
  return db.select({ raw, rawBlobKey }).from(db.t.mails).where(eq(db.t.mails.id, id));
};

/** What whole messages show of these mails beside their rows. */
export const mailDetails = (db: Db, ids: string[]) => {
  const { id, details } = db.t.mails;
  return db.select({ id, details }).from(db.t.mails).where(db.among(id, ids));
};
