/**
 * Statements that read messages. Expired messages are invisible, whether or not they are purged.
 */
import { and, asc, count, desc, eq, gt, isNull, lte, min, sql } from 'drizzle-orm';
import { type Db, bind, defineStatement } from '../store.ts';
import { defineIdListQuery, idListReader } from './id-lists.ts';
import type { Tables } from '../schema/tables.ts';

export type MessageRow = Tables['messages']['$inferSelect'];

type MailRow = Tables['mails']['$inferSelect'];
type MailColumns = Omit<MailRow, 'raw' | 'rawBlobKey' | 'ingestId' | 'expiresAt' | 'details'>;

/** A message with its mail. */
export interface MessageAndMail {
  message: MessageRow;
  mail: MailColumns;
}

export interface MessageSummary {
  message: MessageRow;
  mail: Omit<MailColumns, 'text' | 'html'>;
}

/** The columns that determine a page. */
export type PagedMessage = Pick<MessageRow, 'id' | 'receivedAt' | 'bodyBytes'>;

/** A message with its place in the order of commits. */
export type NumberedMessage = PagedMessage & Pick<MessageRow, 'number'>;

/** A position in the order of arrival. */
export interface MessagePosition {
  receivedAt: Date;
  id: string;
}

/** All columns of a mail except its bodies. */
function mailSummary(db: Db) {
  const m = db.t.mails;
  return {
    id: m.id,
    fromAddress: m.fromAddress,
    fromName: m.fromName,
    to: m.to,
    cc: m.cc,
    subject: m.subject,
    messageIdHeader: m.messageIdHeader,
    size: m.size,
    attachmentCount: m.attachmentCount,
    parseError: m.parseError,
  };
}

function mailHead(db: Db) {
  const { text, html } = db.t.mails;
  return { ...mailSummary(db), text, html };
}

/**
 * The condition of all statements on messages: in mailbox `mailboxId`, and not expired at `now`.
 */
export const isShown = ({ t: { messages: m } }: Db) =>
  and(eq(m.mailboxId, bind(m.mailboxId, 'mailboxId')), gt(m.expiresAt, bind(m.expiresAt, 'now')));

const withMail = <Columns extends ReturnType<typeof mailSummary>>(db: Db, mail: Columns) =>
  db
    .select({ message: db.t.messages, mail })
    .from(db.t.messages)
    .innerJoin(db.t.mails, eq(db.t.mails.id, db.t.messages.mailId));

/**
 * The condition of messages older than a position and newer than a time. The row value comparison
 * seeks in the index; the equivalent OR expression does not.
 */
const isInPage = ({ t: { messages: m } }: Db) =>
  and(
    sql`(${m.receivedAt}, ${m.id}) < (${bind(m.receivedAt, 'receivedAt')}, ${bind(m.id, 'id')})`,
    gt(m.receivedAt, bind(m.receivedAt, 'since')),
  );

/**
 * Messages older than a position and newer than a time, newest first. Their content is then read by
 * id.
 */
export const messagePage = defineStatement<
  { mailboxId: string; now: Date; since: Date; receivedAt: Date; id: string; limit: number },
  PagedMessage[]
>('message-page', (db) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id, receivedAt: m.receivedAt, bodyBytes: m.bodyBytes })
    .from(m)
    .where(and(isShown(db), isInPage(db)))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(sql.placeholder('limit'));
});

/** The columns of {@link NumberedMessage}. */
export const numbered = ({ t: { messages: m } }: Db) => ({
  ...{ id: m.id, receivedAt: m.receivedAt, bodyBytes: m.bodyBytes, number: m.number },
});

/** The condition of messages after a place in the order of commits. */
export const isAfterNumber = ({ t: { messages: m } }: Db) =>
  sql`(${m.number}, ${m.id}) > (${bind(m.number, 'number')}, ${bind(m.id, 'id')})`;

/** Up to this number, so that what is committed meanwhile is left out. */
const isUpTo = ({ t: { messages: m } }: Db) => lte(m.number, bind(m.number, 'upTo'));

/** Messages after a place in the order of commits, and newer than a time, in this order. */
export const messagesByNumber = defineStatement<
  {
    mailboxId: string;
    now: Date;
    since: Date;
    number: number;
    id: string;
    upTo: number;
    limit: number;
  },
  NumberedMessage[]
>('messages-by-number', (db) => {
  const m = db.t.messages;
  return db
    .select(numbered(db))
    .from(m)
    .where(
      and(
        isShown(db),
        isAfterNumber(db),
        isUpTo(db),
        gt(m.receivedAt, bind(m.receivedAt, 'since')),
      ),
    )
    .orderBy(asc(m.number), asc(m.id))
    .limit(sql.placeholder('limit'));
});

/** Same as {@link messagePage} with the numbers, and up to one. */
export const numberedPage = defineStatement<
  {
    mailboxId: string;
    now: Date;
    since: Date;
    receivedAt: Date;
    id: string;
    upTo: number;
    limit: number;
  },
  NumberedMessage[]
>('numbered-page', (db) => {
  const m = db.t.messages;
  return db
    .select(numbered(db))
    .from(m)
    .where(and(isShown(db), isInPage(db), isUpTo(db)))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(sql.placeholder('limit'));
});

/** The least number of the messages received after a time; null without one. */
export const firstNumberSince = defineStatement<
  { mailboxId: string; now: Date; since: Date },
  { number: number | null }[]
>('first-number-since', (db) => {
  const m = db.t.messages;
  return db
    .select({ number: min(m.number) })
    .from(m)
    .where(and(isShown(db), gt(m.receivedAt, bind(m.receivedAt, 'since'))));
});

/**
 * The condition of messages that are not caught and have the tag; an empty tag means none. ASCII
 * letters of tags compare without case.
 */
const isAddressed = ({ t: { messages: m } }: Db) =>
  and(
    isNull(m.envelopeTo),
    sql`(coalesce(${m.tag}, '') = ${bind(m.tag, 'tag')} or lower(coalesce(${m.tag}, '')) = ${bind(m.tag, 'foldedTag')})`,
  );

/** Same as {@link messagePage} for messages that are not caught and have the tag. */
export const addressedMessagePage = defineStatement<
  {
    mailboxId: string;
    now: Date;
    since: Date;
    receivedAt: Date;
    id: string;
    limit: number;
    tag: string;
    foldedTag: string;
  },
  PagedMessage[]
>('addressed-message-page', (db) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id, receivedAt: m.receivedAt, bodyBytes: m.bodyBytes })
    .from(m)
    .where(and(isShown(db), isAddressed(db), isInPage(db)))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(sql.placeholder('limit'));
});

/** The number of messages that are not caught and have the tag, at `now`. */
export const countAddressedMessages = defineStatement<
  { mailboxId: string; now: Date; tag: string; foldedTag: string },
  { total: number }[]
>('count-addressed-messages', (db) => {
  const m = db.t.messages;
  return db
    .select({ total: count() })
    .from(m)
    .where(and(isShown(db), isAddressed(db)));
});

const messageId = ({ t }: Db) => t.messages.id;

/** The messages with these ids, unordered. */
export const messagesById = idListReader<MessageAndMail>(
  defineIdListQuery('messages-by-id', messageId, (db, isListed) =>
    withMail(db, mailHead(db)).where(isListed),
  ),
);

/** Same as {@link messagesById} without the mail bodies, which are not read. */
export const messageSummariesById = idListReader<MessageSummary>(
  defineIdListQuery('message-summaries-by-id', messageId, (db, isListed) =>
    withMail(db, mailSummary(db)).where(isListed),
  ),
);

/** The numbers of these messages. */
export const numbersOf = defineIdListQuery<
  Record<string, never>,
  NumberedMessage & Pick<MessageRow, 'mailboxId' | 'expiresAt'>
>('message-numbers', messageId, (db, isListed) => {
  const m = db.t.messages;
  return db
    .select({ ...numbered(db), mailboxId: m.mailboxId, expiresAt: m.expiresAt })
    .from(m)
    .where(isListed);
});

/** Returns one row if the mailbox shows the message, otherwise none. */
export const isMessageShown = defineStatement<
  { mailboxId: string; id: string; now: Date },
  { id: string }[]
>('is-message-shown', (db) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.id, bind(m.id, 'id')), isShown(db)));
});

/** One message of a mailbox. */
export const messageById = defineStatement<
  { mailboxId: string; id: string; now: Date },
  MessageAndMail[]
>('message-by-id', (db) => {
  const m = db.t.messages;
  return withMail(db, mailHead(db)).where(and(eq(m.id, bind(m.id, 'id')), isShown(db)));
});

/** Same as {@link messageById} without the mail bodies, which are not read. */
export const messageSummaryById = defineStatement<
  { mailboxId: string; id: string; now: Date },
  MessageSummary[]
>('message-summary-by-id', (db) => {
  const m = db.t.messages;
  return withMail(db, mailSummary(db)).where(and(eq(m.id, bind(m.id, 'id')), isShown(db)));
});

/** The bodies of a mail. */
export const mailBodies = defineStatement<{ mailId: string }, Pick<MailColumns, 'text' | 'html'>[]>(
  'mail-bodies',
  (db) => {
    const { id, text, html } = db.t.mails;
    return db
      .select({ text, html })
      .from(db.t.mails)
      .where(eq(id, bind(id, 'mailId')));
  },
);

/** The first message of a mail in a mailbox, without the mail bodies. */
export const messageOfMail = defineStatement<
  { mailboxId: string; mailId: string; now: Date },
  MessageSummary[]
>('message-of-mail', (db) => {
  const m = db.t.messages;
  return withMail(db, mailSummary(db))
    .where(and(eq(m.mailId, bind(m.mailId, 'mailId')), isShown(db)))
    .orderBy(asc(m.id))
    .limit(1);
});

/** The visible messages with a number above `number` in these mailboxes. */
export const messagesAbove = (db: Db, mailboxIds: string[], number: number, now: Date) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id, mailboxId: m.mailboxId, number: m.number })
    .from(m)
    .where(and(db.among(m.mailboxId, mailboxIds), gt(m.number, number), gt(m.expiresAt, now)));
};

/** Those of these messages that are in the mailbox and have at most the number `upTo`. */
export const messagesAmong = (
  db: Db,
  mailboxId: string,
  ids: string[],
  upTo = Number.MAX_SAFE_INTEGER,
) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.mailboxId, mailboxId), db.among(m.id, ids), lte(m.number, upTo)));
};

/** The ids of all messages of a mail in a mailbox. */
export const messagesOfMail = (db: Db, mailboxId: string, mailId: string) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.mailId, mailId), eq(m.mailboxId, mailboxId)));
};

/** Up to `limit` expired messages of a mailbox. */
export const expiredMessagesOf = (db: Db, mailboxId: string, now: Date, limit: number) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.mailboxId, mailboxId), lte(m.expiresAt, now)))
    .limit(limit);
};

/** Up to `limit` messages of a mailbox that are older than its `kept` newest ones. */
export const messagesBeyond = (
  db: Db,
  mailboxId: string,
  { kept, now, limit }: { kept: number; now: Date; limit: number },
) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.mailboxId, mailboxId), gt(m.expiresAt, now)))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(limit)
    .offset(kept);
};

/** The number of messages in a mailbox at `now`. */
export const countMessages = defineStatement<{ mailboxId: string; now: Date }, { total: number }[]>(
  'count-messages',
  (db) => {
    const m = db.t.messages;
    return db.select({ total: count() }).from(m).where(isShown(db));
  },
);

export type TaggedMessage = Pick<MessageRow, 'id' | 'receivedAt' | 'tag' | 'facts'>;

/** What tags the messages older than a position, newest first. */
export const messageTagsPage = defineStatement<
  { mailboxId: string; now: Date; receivedAt: Date; id: string; limit: number },
  TaggedMessage[]
>('message-tags-page', (db) => {
  const m = db.t.messages;
  const position = sql`(${bind(m.receivedAt, 'receivedAt')}, ${bind(m.id, 'id')})`;
  return db
    .select({ id: m.id, receivedAt: m.receivedAt, tag: m.tag, facts: m.facts })
    .from(m)
    .where(and(isShown(db), sql`(${m.receivedAt}, ${m.id}) < ${position}`))
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(sql.placeholder('limit'));
});
