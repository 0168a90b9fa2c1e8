/** The files of a message, its attachments and its raw source, in the database or the blob store. */
import { Readable } from 'node:stream';
import {
  type AttachmentContent,
  type AttachmentName,
  attachmentContent,
  linkedAttachment,
} from '../../db/statements/attachments.js';
import type { MailboxRow } from '../../db/statements/mailboxes.js';
import { mailSource } from '../../db/statements/mails.js';
import type { Blob } from '../blobs/blob-store.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { requireMessage } from './resolve-id.js';
import { sourceName } from './source-name.js';

type Reading = Pick<Context, 'now' | 'store'>;

export interface StoredFile {
  filename: string;
  contentType: string;
  size: number;
  /** The bytes, or null when they are in the blob store. */
  content: Buffer | null;
  blobKey: string | null;
}

/** @throws {AppError} `not_found` when the mailbox shows no such message, or that no such attachment. */
export async function findAttachment(
  context: Reading,
  mailbox: MailboxRow,
  messageId: string,
  attachmentId: string,
): Promise<StoredFile> {
  const { mail } = await requireMessage(context, mailbox, messageId);
  const [row] = await context.store.ask(attachmentContent, mail.id, attachmentId);
  return row ? toFile(row) : missing();
}

/** The attachment that a signed link names. @throws {AppError} `not_found` once its message is gone. */
export async function findLinkedAttachment(
  context: Reading,
  messageId: string,
  attachmentId: string,
): Promise<StoredFile> {
  const now = new Date(context.now());
  const [row] = await context.store.ask(linkedAttachment, messageId, attachmentId, now);
  return row ? toFile(row) : missing();
}

/** The raw mail behind a message. @throws {AppError} `not_found` when the mailbox does not show it. */
export async function findSource(
  context: Reading,
  mailbox: MailboxRow,
  messageId: string,
): Promise<StoredFile> {
  const { message, mail } = await requireMessage(context, mailbox, messageId);
  const [row] = await context.store.ask(mailSource, mail.id);
  if (!row) return missing();
  return {
    filename: sourceName(mail.subject, message.id),
    contentType: 'message/rfc822',
    size: mail.size,
    content: row.raw,
    blobKey: row.rawBlobKey,
  };
}

/**
 * Opens a file. A missing blob whose row exists is logged: either the message has just been deleted, or the blob store
 * has lost the blob.
 * @throws {AppError} `not_found` when the bytes are gone, `unavailable` while the store is away.
 */
export async function openFile(
  context: Pick<Context, 'log' | 'blobs'>,
  file: StoredFile,
): Promise<Blob> {
  if (file.content) return { size: file.content.length, stream: Readable.from(file.content) };
  const blob = file.blobKey === null ? null : await context.blobs.get(file.blobKey);
  if (blob) return blob;
  context.log.warn('stored file without its bytes', { blobKey: file.blobKey });
  return missing();
}

/** The name of an attachment, or a generated one where the mail gives none. */
export function attachmentName({ filename, position }: AttachmentName): string {
  return filename ?? `attachment-${position + 1}`;
}

function toFile(row: AttachmentContent): StoredFile {
  return { ...row, filename: attachmentName(row) };
}

function missing(): never {
  throw new AppError('not_found', 'There is no such file, or not any more.');
}
