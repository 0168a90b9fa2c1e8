/** Statements that read messages. Expired ones are invisible whether or not they have been purged. */
import { and, asc, count, desc, eq, gt, sql } from 'drizzle-orm';
import { type Db, bind, defineStatement } from './store.js';
import type { Tables } from './tables.js';

export type MessageRow = Tables['messages']['$inferSelect'];

type MailRow = Tables['mails']['$inferSelect'];
type MailColumns = Omit<MailRow, 'raw' | 'rawBlobKey' | 'ingestId' | 'expiresAt'>;
type MailSummary = Omit<MailColumns, 'text' | 'html'>;

/** A message with the mail it shows. */
export interface MessageAndMail {
  message: MessageRow;
  mail: MailColumns;
}

/** A place in the order of arrival. */
export interface Position {
  receivedAt: Date;
  id: string;
}

/** What there is to tell of a mail, all but its bodies. */
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

/** In the mailbox `mailboxId`, and not expired at `now`: what every statement on messages asks for. */
const isShown = ({ t: { messages: m } }: Db) =>
  and(eq(m.mailboxId, bind(m.mailboxId, 'mailboxId')), gt(m.expiresAt, bind(m.expiresAt, 'now')));

const withMail = (db: Db) =>
  db
    .select({ message: db.t.messages, mail: mailHead(db) })
    .from(db.t.messages)
    .innerJoin(db.t.mails, eq(db.t.mails.id, db.t.messages.mailId));

/** What a page of a mailbox is asked for by. */
export interface PagePlace extends Record<string, unknown> {
  mailboxId: string;
  now: Date;
  since: Date;
  receivedAt: Date;
  id: string;
  limit: number;
}

/**
 * Older than a position and newer than a time. The row value comparison seeks in the index; spelt out with
 * OR it would not.
 */
const inPage = (db: Db) => {
  const m = db.t.messages;
  return and(
    isShown(db),
    sql`(${m.receivedAt}, ${m.id}) < (${bind(m.receivedAt, 'receivedAt')}, ${bind(m.id, 'id')})`,
    gt(m.receivedAt, bind(m.receivedAt, 'since')),
  );
};

const newestFirst = ({ t: { messages: m } }: Db) => [desc(m.receivedAt), desc(m.id)];

/** A page of messages, newest first, without their mails. */
export const messagePage = defineStatement<PagePlace, MessageRow[]>('message-page', (db) =>
  db
    .select()
    .from(db.t.messages)
    .where(inPage(db))
    .orderBy(...newestFirst(db))
    .limit(sql.placeholder('limit')),
);

/**
 * The mails that a page shows, in its order. To seek them by the page's place costs a third less than by a list
 * of their ids, for which a statement would have to be built each time.
 */
export const mailsOfPage = defineStatement<PagePlace, MailColumns[]>('mails-of-page', (db) =>
  db
    .select(mailHead(db))
    .from(db.t.messages)
    .innerJoin(db.t.mails, eq(db.t.mails.id, db.t.messages.mailId))
    .where(inPage(db))
    .orderBy(...newestFirst(db))
    .limit(sql.placeholder('limit')),
);

/** The same without their bodies, which are not even read. */
export const mailSummariesOfPage = defineStatement<PagePlace, MailSummary[]>(
  'mail-summaries-of-page',
  (db) =>
    db
      .select(mailSummary(db))
      .from(db.t.messages)
      .innerJoin(db.t.mails, eq(db.t.mails.id, db.t.messages.mailId))
      .where(inPage(db))
      .orderBy(...newestFirst(db))
      .limit(sql.placeholder('limit')),
);

/** One message of a mailbox. */
export const messageById = defineStatement<
  { mailboxId: string; id: string; now: Date },
  MessageAndMail[]
>('message-by-id', (db) => {
  const m = db.t.messages;
  return withMail(db).where(and(eq(m.id, bind(m.id, 'id')), isShown(db)));
});

/** The first of the messages that show one mail in one mailbox. */
export const messageOfMail = defineStatement<
  { mailboxId: string; mailId: string; now: Date },
  MessageAndMail[]
>('message-of-mail', (db) => {
  const m = db.t.messages;
  return withMail(db)
    .where(and(eq(m.mailId, bind(m.mailId, 'mailId')), isShown(db)))
    .orderBy(asc(m.id))
    .limit(1);
});

/** The ids of all messages that show one mail in one mailbox. */
export const messagesOfMail = (db: Db, mailboxId: string, mailId: string) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id })
    .from(m)
    .where(and(eq(m.mailId, mailId), eq(m.mailboxId, mailboxId)));
};

/** How many messages a mailbox shows at this moment. */
export const countMessages = defineStatement<{ mailboxId: string; now: Date }, { total: number }[]>(
  'count-messages',
  (db) => {
    const m = db.t.messages;
    return db.select({ total: count() }).from(m).where(isShown(db));
  },
);
