/** The text of an attachment that is a text. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Reader } from '../mime/reading.ts';
import { readStart, requireAttachment } from './files.ts';
import { type Message, requireMessageWithFiles } from './messages.ts';
import { type ShownPortion, fileText, filePortion } from './portion.ts';

type Attachment = Message['attachments'][number];

/** Bytes of the attachment. */
const MAX_READ = 1024 * 1024;
/**
 * Types of text, and others whose content is text (RFC 2046 section 5.2, RFC 6838 section 4.2.8,
 * RFC 8259, RFC 7303, RFC 9512).
 */
const TEXT =
  /^(?:text\/|message\/|(?:application\/(?:x-)?(?:json|ndjson|xml|yaml|javascript|sql)|[^;\s/]+\/[^;\s/]+\+(?:json|xml|yaml))(?:;|$))/i;
const HTML = /^text\/html\b/i;

/**
 * A portion of the text of an attachment in its character set; that of HTML as a reader sees it.
 * @param number its place among the attachments of the message, from 1
 * @throws {AppError} `not_found` if the message has no such attachment, `unprocessable` if it is
 *   not a text, `unavailable` if the blob store is unreachable.
 */
export async function attachmentPortion(
  context: Context,
  reader: Reader,
  { mailbox, shown }: { mailbox: MailboxRow; shown: Message },
  { number, offset }: { number: number; offset: number },
): Promise<ShownPortion & { truncated: boolean }> {
  const attachment = shown.attachments[number - 1];
  if (!attachment) {
    const has = `The message has ${shown.attachments.length}.`;
    throw new AppError('not_found', `No such attachment: ${number}. ${has}`);
  }
  if (!TEXT.test(attachment.contentType)) {
    throw new AppError('unprocessable', `Attachment ${number} is not a text.`);
  }
  const isHtml = HTML.test(attachment.contentType);
  const portion = await context.ingest.reading.run(reader, filePortion, async () => ({
    ...(await startOf(context, mailbox, shown, attachment)),
    ...{ isHtml, offset },
  }));
  return isHtml ? portion : { ...portion, truncated: attachment.size > MAX_READ };
}

/**
 * The content of an attachment that is a text, decoded from its character set: its first 1,048,576
 * bytes. HTML stays HTML.
 * @throws {AppError} `not_found` if the message or the attachment does not exist in the mailbox,
 *   `unprocessable` if it is not a text, `unavailable` if the blob store is unreachable.
 */
export async function requireAttachmentText(
  context: Context,
  reader: Reader,
  mailbox: MailboxRow,
  { messageId, attachmentId }: { messageId: string; attachmentId: string },
): Promise<Buffer> {
  const shown = await requireMessageWithFiles(context, mailbox, messageId, reader.admit);
  const attachment = shown.attachments.find(({ id }) => id === attachmentId);
  if (!attachment) throw new AppError('not_found', 'File not found.');
  if (!TEXT.test(attachment.contentType)) {
    const is = `The attachment is ${attachment.contentType}, which is not a text.`;
    throw new AppError('unprocessable', `${is} Download it without "/text".`);
  }
  const load = () => startOf(context, mailbox, shown, attachment);
  return context.ingest.reading.run(reader, fileText, load);
}

async function startOf(
  context: Context,
  mailbox: MailboxRow,
  { message, details }: Message,
  { id, position }: Attachment,
): Promise<{ bytes: Buffer; charset: string | null }> {
  const file = await requireAttachment(context, mailbox, message.id, id);
  const bytes = await readStart(context, file, MAX_READ);
  return { bytes, charset: details?.attachments[position]?.charset ?? null };
}
