/** The header fields of a stored mail. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { MessageAndMail } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { type HeaderField, headerFields } from './read-header.ts';
import { type StoredFile, readStart, requireSource, sourceOf } from './files.ts';

/** The limit of a header in SMTP. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * All fields in order, of at most `maxBytes` of the header.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export async function messageHeaders(
  context: Pick<Context, 'store' | 'now' | 'blobs' | 'log'>,
  mailbox: MailboxRow,
  id: string,
  maxBytes = MAX_HEADER_BYTES,
): Promise<HeaderField[]> {
  return headersOf(context, await requireSource(context, mailbox, id), maxBytes);
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
    return await headersOf(context, await sourceOf(context, shown), maxBytes);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return [];
    throw error;
  }
}

/**
 * The fields of a raw mail, of at most `maxBytes` of its header. @throws {AppError} `not_found` if
 * its blob is missing.
 */
async function headersOf(
  context: Pick<Context, 'blobs' | 'log'>,
  source: StoredFile,
  maxBytes: number,
): Promise<HeaderField[]> {
  return headerFields(await readStart(context, source, maxBytes));
}
