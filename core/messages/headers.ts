/** The header fields of a stored mail. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { MessageSummary } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import type { Reader } from '../mime/reading.ts';
import { isAscii } from 'node:buffer';
import { AppError } from '../errors.ts';
import { type HeaderField, headerFields, headersJson } from './read-header.ts';
import { readStart, requireSource, sourceOf } from './files.ts';

/** The limit of a header in SMTP. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * All fields in order, of the first MiB of the header, as JSON.
 * @param byName lists the values by the canonical names of the fields
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export function messageHeaders(
  context: Context,
  reader: Reader,
  {
    mailbox,
    messageId,
    byName = false,
  }: { mailbox: MailboxRow; messageId: string; byName?: boolean },
): Promise<Buffer> {
  return context.ingest.reading.run(reader, headersJson, async () => {
    const source = await requireSource(context, mailbox, messageId);
    return { raw: headOf(await readStart(context, source, MAX_HEADER_BYTES)), byName };
  });
}

/**
 * The start of the stored mail of a message that was read before, with at most `maxBytes` of its
 * header. Empty if the raw mail is missing, so that a lost blob hides nothing else of the message.
 */
export async function storedHead(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  shown: MessageSummary,
  maxBytes = MAX_HEADER_BYTES,
): Promise<Buffer> {
  try {
    const source = await sourceOf(context, shown);
    return headOf(await readStart(context, source, maxBytes));
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return Buffer.alloc(0);
    throw error;
  }
}

/** The fields of the header of {@link storedHead}. */
export async function storedHeaders(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  shown: MessageSummary,
  maxBytes: number,
): Promise<HeaderField[]> {
  return headerFields(await storedHead(context, shown, maxBytes));
}

/**
 * Only the header, if it is of ASCII characters: the body tells the character set of others. It is
 * read faster than a mail.
 */
function headOf(start: Buffer): Buffer {
  const end = start.indexOf('\r\n\r\n');
  const head = start.subarray(0, end < 0 ? start.length : end + 4);
  return isAscii(head) ? head : start;
}
