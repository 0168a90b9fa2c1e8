/** Statements that read messages. Expired ones are invisible whether or not they have been purged. */
import { and, asc, count, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import { type Db, bind, defineStatement } from './store.js';
import type { Tables } from './tables.js';

export type MessageRow = Tables['messages']['$inferSelect'];

type MailRow = Tables['mails']['$inferSelect'];
type MailColumns = Omit<MailRow, 'raw' | 'rawBlobKey' | 'ingestId' | 'expiresAt'>;

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

/**
 * Messages older than a position and newer than a time, newest first, without their bodies. The row
 * value comparison seeks in the index; spelt out with OR it would not.
 */
export const messagePage = defineStatement<
  { mailboxId: string; now: Date; since: Date; receivedAt: Date; id: string; limit: number },
  MessageRow[]
>('message-page', (db) => {
  const m = db.t.messages;
  return db
    .select()
    .from(m)
    .where(
      and(
        isShown(db),
        sql`(${m.receivedAt}, ${m.id}) < (${bind(m.receivedAt, 'receivedAt')}, ${bind(m.id, 'id')})`,
        gt(m.receivedAt, bind(m.receivedAt, 'since')),
      ),
    )
    .orderBy(desc(m.receivedAt), desc(m.id))
    .limit(sql.placeholder('limit'));
});

export const mailsById = (db: Db, ids: string[]) =>
  db.select(mailHead(db)).from(db.t.mails).where(inArray(db.t.mails.id, ids));

/** The same without their bodies, which are not even read. */
export const mailSummariesById = (db: Db, ids: string[]) =>
  db.select(mailSummary(db)).from(db.t.mails).where(inArray(db.t.mails.id, ids));

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
