/** Extractions as JSON. The database is asked each time whether a message still exists. */
import type { Context } from '../../core/context.ts';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.ts';
import type { Extractions } from '../../core/messages/extractions.ts';
import { findMessage, isShown } from '../../core/messages/messages.ts';
import type { Shape } from '../contract/shapes.ts';

export function renderExtracted(extracted: Shape<'Extracted'>): Buffer {
  return Buffer.from(JSON.stringify(extracted));
}

/** @throws {AppError} `not_found` if the message does not exist in the mailbox. */
export async function extractedJson(
  context: Pick<Context, 'now' | 'store'>,
  extractions: Extractions,
  mailbox: MailboxRow,
  id: string,
): Promise<Buffer> {
  const known = extractions.known(id);
  if (known && (await isShown(context, mailbox, id))) return known.json;
  return (await extractions.of(await findMessage(context, mailbox, id))).json;
}

const FIELD = Buffer.from(',"extracted":');
const END = Buffer.from('}');

/** The JSON of a message with the field `extracted`, in parts. */
export function withExtracted(message: Buffer, extracted: Buffer): Buffer[] {
  return [message.subarray(0, -1), FIELD, extracted, END];
}
