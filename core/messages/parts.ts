/** The MIME parts of a stored mail, and the mails enclosed in it. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { isEnclosedMail } from '../mime/canonical/content-fields.ts';
import type { DraftContent, Mail } from '../mime/parse-mail.ts';
import type { Reader } from '../mime/reading.ts';
import { MAX_ENCLOSED, type PartContent, partTreeJson } from '../mime/part-tree.ts';
import { type StoredFile, readWhole, requireSource, sourceName } from './files.ts';

export interface Enclosed {
  mail: Mail<Buffer | DraftContent>;
  /** Bytes of the enclosed mail. */
  size: number;
}

/** A part of a message. */
interface Place {
  messageId: string;
  section: string;
}

/**
 * The tree of the parts as JSON.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox, `unavailable` as
 *   {@link Reading}.
 */
export function messageParts(
  context: Context,
  reader: Reader,
  mailbox: MailboxRow,
  messageId: string,
): Promise<Buffer> {
  const { reading, parsePool } = context.ingest;
  return reading.inTurn(reader, async () =>
    parsePool.run(partTreeJson, await rawOf(context, mailbox, messageId)),
  );
}

/**
 * The decoded content of a part.
 * @throws {AppError} `not_found` if the message or the part does not exist, `unavailable` as
 *   {@link Reading}.
 */
export async function requirePart(
  context: Context,
  reader: Reader,
  mailbox: MailboxRow,
  { messageId, section }: Place,
): Promise<StoredFile> {
  const place = { messageId, section };
  const { type, filename, content } = await contentOf(context, reader, mailbox, place);
  const name = filename ?? (isEnclosedMail(type) ? sourceName('', `part-${section}`) : null);
  return {
    filename: name ?? `part-${section}`,
    contentType: type,
    size: content.length,
    content,
    blobKey: null,
  };
}

/**
 * The mail that a part encloses.
 * @throws {AppError} `not_found` if the message or the part does not exist, the part is no mail, or
 *   it is in as many mails as are read; `unavailable` as {@link Reading}.
 */
export async function requireEnclosed(
  context: Context,
  reader: Reader,
  mailbox: MailboxRow,
  { messageId, section }: Place,
): Promise<Enclosed> {
  const place = { messageId, section };
  const { type, content, depth } = await contentOf(context, reader, mailbox, place);
  if (!isEnclosedMail(type)) {
    throw new AppError('not_found', `The part ${section} is ${type}, not an enclosed mail.`);
  }
  if (depth >= MAX_ENCLOSED) {
    const limit = `The mails of the message are read ${MAX_ENCLOSED} deep`;
    throw new AppError('not_found', `${limit}; the part ${section} encloses a deeper one.`);
  }
  const mail = await context.ingest.reading.parse(reader, content);
  return { mail, size: content.length };
}

function contentOf(
  context: Context,
  reader: Reader,
  mailbox: MailboxRow,
  { messageId, section }: Place,
): Promise<PartContent> {
  return context.ingest.reading.inTurn(reader, async () => {
    const raw = await rawOf(context, mailbox, messageId);
    const content = await context.ingest.parsePool.readPart(raw, section);
    if (content) return content;
    throw new AppError('not_found', `The message has no part ${section}.`);
  });
}

async function rawOf(context: Context, mailbox: MailboxRow, messageId: string): Promise<Buffer> {
  return readWhole(context, await requireSource(context, mailbox, messageId));
}
