/** The header fields of a stored mail. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { MessageAndMail } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { type HeaderField, headerFields } from './read-header.ts';
import { readStart, requireSource, sourceOf } from './files.ts';

/** The limit of a header in SMTP. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * All fields in order, of the first MiB of the header.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export async function messageHeaders(
  context: Pick<Context, 'store' | 'now' | 'blobs' | 'log'>,
  mailbox: MailboxRow,
  id: string,
): Promise<HeaderField[]> {
  const source = await requireSource(context, mailbox, id);
  return headerFields(await readStart(context, source, MAX_HEADER_BYTES));
}

/**
 * The fields of a message that was read before, of at most `maxBytes` of its header. None if the
 * raw mail is missing, so that a lost blob hides nothing else of the message.
 */
export async function storedHeaders(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  shown: MessageAndMail,
  maxBytes = MAX_HEADER_BYTES,
): Promise<HeaderField[]> {
  try {
    const source = await sourceOf(context, shown);
    return headerFields(await readStart(context, source, maxBytes));
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return [];
    throw error;
  }
}
