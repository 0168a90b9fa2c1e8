/**
 * The files of a message, its attachments and its raw source, in the database or the blob store.
 */
import { Readable } from 'node:stream';
import {
  type AttachmentContent,
  type AttachmentName,
  attachmentContent,
  linkedAttachment,
} from '../../db/statements/attachments.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { mailSource } from '../../db/statements/mails.ts';
import type { MessageSummary } from '../../db/statements/messages.ts';
import type { Blob } from '../blobs/blob-store.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { fileName } from '../text/file-name.ts';
import { requireSummary } from './resolve-id.ts';

type Reading = Pick<Context, 'now' | 'store'>;

const PIECE = 64 * 1024;

export interface StoredFile {
  filename: string;
  contentType: string;
  size: number;
  /** The content, or null if it is in the blob store. */
  content: Buffer | null;
  blobKey: string | null;
}

/**
 * @throws {AppError} `not_found` if the message or the attachment does not exist in the mailbox.
 */
export async function requireAttachment(
  context: Reading,
  mailbox: MailboxRow,
  messageId: string,
  attachmentId: string,
): Promise<StoredFile> {
  const { mail } = await requireSummary(context, mailbox, messageId);
  const [row] = await context.store.query(attachmentContent, mail.id, attachmentId);
  return row ? toFile(row) : missing();
}

/**
 * The attachment that a signed link refers to. @throws {AppError} `not_found` if its message is
 * deleted.
 */
export async function requireLinkedAttachment(
  context: Reading,
  messageId: string,
  attachmentId: string,
): Promise<StoredFile> {
  const now = new Date(context.now());
  const [row] = await context.store.query(linkedAttachment, messageId, attachmentId, now);
  return row ? toFile(row) : missing();
}

/**
 * The raw mail of a message. @throws {AppError} `not_found` if the message does not exist in the
 * mailbox.
 */
export async function requireSource(
  context: Reading,
  mailbox: MailboxRow,
  messageId: string,
): Promise<StoredFile> {
  return sourceOf(context, await requireSummary(context, mailbox, messageId));
}

/** The raw mail of a message. @throws {AppError} `not_found` if it was deleted meanwhile. */
export async function sourceOf(
  context: Pick<Context, 'store'>,
  { message, mail }: MessageSummary,
): Promise<StoredFile> {
  const [row] = await context.store.query(mailSource, mail.id);
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
 * Opens a file. A missing blob with a row is logged: either the message was just deleted, or the
 * blob store lost the blob.
 * @throws {AppError} `not_found` if the blob is missing, `unavailable` if the store is unreachable.
 */
export async function openFile(
  context: Pick<Context, 'log' | 'blobs'>,
  file: StoredFile,
): Promise<Blob> {
  if (file.content) {
    return { size: file.content.length, stream: Readable.from(piecesOf(file.content)) };
  }
  const blob = file.blobKey === null ? null : await context.blobs.get(file.blobKey);
  if (blob) return blob;
  context.log.warn('blob of stored file missing', { blobKey: file.blobKey });
  return missing();
}

/**
 * All of a file. Its chunks are copied as they arrive: joining 24 MB at once holds the event loop
 * for 20 ms.
 * @throws {AppError} as {@link openFile}
 */
export async function readWhole(
  context: Pick<Context, 'log' | 'blobs'>,
  file: StoredFile,
): Promise<Buffer> {
  if (file.content) return file.content;
  const { size, stream } = await openFile(context, file);
  const whole = Buffer.allocUnsafeSlow(size);
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) length += chunk.copy(whole, length);
  return whole.subarray(0, length);
}

/** The first bytes of a file, or all of it. @throws {AppError} as {@link openFile} */
export async function readStart(
  context: Pick<Context, 'log' | 'blobs'>,
  file: StoredFile,
  maxBytes: number,
): Promise<Buffer> {
  const { stream } = await openFile(context, file);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** A slow client takes one after the other. */
function* piecesOf(content: Buffer): Generator<Buffer> {
  for (let from = 0; from < content.length; from += PIECE) {
    yield content.subarray(from, from + PIECE);
  }
}

/** The name of an attachment, generated if the mail gives none. */
export function attachmentName({ filename, position }: AttachmentName): string {
  return filename ?? `attachment-${position + 1}`;
}

/**
 * The file name of a raw mail: its subject, or the message id if nothing is left of it. Ends in
 * `.eml`, the extension of `message/rfc822`.
 */
export function sourceName(subject: string, messageId: string): string {
  return `${fileName(subject) || messageId}.eml`;
}

function toFile(row: AttachmentContent): StoredFile {
  return { ...row, filename: attachmentName(row) };
}

function missing(): never {
  throw new AppError('not_found', 'File not found.');
}
