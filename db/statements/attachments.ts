/** Statements that read attachments. */
import { and, asc, eq, gt } from 'drizzle-orm';
import type { Db } from '../store.ts';
import { isLive } from './reach.ts';
import type { Tables } from '../schema/tables.ts';

type Attachment = Tables['attachments']['$inferSelect'];
export type AttachmentRow = Omit<Attachment, 'content'>;
export type AttachmentName = Pick<Attachment, 'filename' | 'position'>;
export type AttachmentContent = Omit<Attachment, 'id' | 'mailId'>;

/** The attachments of these mails, in order, without their bytes. */
export const attachmentsOf = (db: Db, mailIds: string[]) => {
  const a = db.t.attachments;
  return db
    .select({ id: a.id, mailId: a.mailId, ...head(db), blobKey: a.blobKey })
    .from(a)
    .where(db.among(a.mailId, mailIds))
    .orderBy(asc(a.mailId), asc(a.position));
};

/** One attachment of a mail, with its bytes if they are in the row. */
export const attachmentContent = (db: Db, mailId: string, id: string) => {
  const a = db.t.attachments;
  return db
    .select(content(db))
    .from(a)
    .where(and(eq(a.id, id), eq(a.mailId, mailId)));
};

/**
 * The attachment for a message id and an attachment id, while the message and its mailbox exist.
 */
export const linkedAttachment = (db: Db, messageId: string, id: string, now: Date) => {
  const { attachments: a, messages, mailboxes } = db.t;
  return db
    .select(content(db))
    .from(a)
    .innerJoin(messages, eq(messages.mailId, a.mailId))
    .innerJoin(mailboxes, eq(mailboxes.id, messages.mailboxId))
    .where(
      and(eq(a.id, id), eq(messages.id, messageId), gt(messages.expiresAt, now), isLive(db, now)),
    );
};

function head(db: Db) {
  const { position, filename, contentType, size, contentId } = db.t.attachments;
  return { position, filename, contentType, size, contentId };
}

function content(db: Db) {
  const { content, blobKey } = db.t.attachments;
  return { ...head(db), content, blobKey };
}
