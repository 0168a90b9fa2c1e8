/** The text of an attachment that is a text. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { decodeCharset } from '../mime/charsets.ts';
import { type ShownText, shownText } from '../text/shown-text.ts';
import { readStart, requireAttachment } from './files.ts';
import type { Message } from './messages.ts';

/** Bytes of the attachment. */
const MAX_READ = 1024 * 1024;
/** Types of text, and others whose content is text (RFC 6838 section 4.2.8, RFC 8259, RFC 7303). */
const TEXT = /^(?:text\/|application\/(?:json|xml|[^;\s]+\+(?:json|xml))(?:;|$))/i;
const HTML = /^text\/html\b/i;

/**
 * The text of an attachment in its character set; that of HTML as a reader sees it.
 * @param number its place among the attachments of the message, from 1
 * @throws {AppError} `not_found` if the message has no such attachment, `unprocessable` if it is
 *   not a text, `unavailable` if the blob store is unreachable.
 */
export async function attachmentText(
  context: Pick<Context, 'now' | 'store' | 'log' | 'blobs'>,
  mailbox: MailboxRow,
  { message, attachments, details }: Message,
  number: number,
): Promise<ShownText> {
  const attachment = attachments[number - 1];
  if (!attachment) {
    const has = `The message has ${attachments.length}.`;
    throw new AppError('not_found', `No such attachment: ${number}. ${has}`);
  }
  if (!TEXT.test(attachment.contentType)) {
    throw new AppError('unprocessable', `Attachment ${number} is not a text.`);
  }
  const file = await requireAttachment(context, mailbox, message.id, attachment.id);
  const bytes = await readStart(context, file, MAX_READ);
  const charset = details?.attachments[attachment.position]?.charset ?? null;
  const text = decodeCharset(bytes, charset);
  if (HTML.test(attachment.contentType)) return shownText(text);
  return { text, hiddenCharacters: 0, truncated: file.size > MAX_READ };
}
