/**
 * Caches the extractions of messages as JSON. They never change while the process runs: the version
 * of the rules is part of the program. The database is asked each time whether a message still exists.
 */
import { LRUCache } from 'lru-cache';
import type { Context } from '../../core/context.js';
import { EXTRACTION_VERSION } from '../../core/extraction/extract.js';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.js';
import { extractedFrom } from '../../core/messages/extracted.js';
import { findMessage, isShown } from '../../core/messages/messages.js';
import type { Shape } from '../contract/shapes.js';

/** In bytes of JSON; most entries have 1 to 4 KB. */
const KEPT = { maxSize: 4 * 1024 * 1024, maxEntrySize: 256 * 1024 };

/** @returns a function that throws {AppError} `not_found` if the message does not exist. */
export function extractedJson(
  context: Context,
): (mailbox: MailboxRow, id: string) => Promise<Buffer> {
  const kept = new LRUCache<string, Buffer>({ ...KEPT, sizeCalculation: ({ length }) => length });
  return async (mailbox, id) => {
    const known = kept.get(keyOf(id));
    if (known && (await isShown(context, mailbox, id))) return known;
    const found = await findMessage(context, mailbox, id);
    const extracted: Shape<'Extracted'> = await extractedFrom(context, found);
    const json = Buffer.from(JSON.stringify(extracted));
    kept.set(keyOf(found.message.id), json);
    return json;
  };
}

function keyOf(messageId: string): string {
  return `${messageId} ${EXTRACTION_VERSION}`;
}
