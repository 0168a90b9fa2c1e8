/**
 * Keeps what was extracted from messages. It never changes while the process runs: the content of a
 * message is fixed, and the version of the rules is part of the program.
 */
import { LRUCache } from 'lru-cache';
import { type MessageAndMail, messagesById } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import type { Extraction, LinkKind } from '../extraction/types.ts';
import { extract } from '../extraction/extract.ts';
import { storedHeaders } from './headers.ts';
import type { HeaderField } from './read-header.ts';

/** What criteria look at. */
export interface ExtractedFacts {
  hasCode: boolean;
  linkKinds: ReadonlySet<LinkKind>;
}

export interface KeptExtraction extends ExtractedFacts {
  json: Buffer;
}

export interface Extractions {
  /** The extraction of a message that was read already. */
  of: (shown: MessageAndMail) => Promise<KeptExtraction>;
  /** The extraction of the message with this id, if it is kept. */
  known: (messageId: string) => KeptExtraction | undefined;
  /** Same as `of` for an id; null if the message was deleted. */
  ofId: (messageId: string) => Promise<KeptExtraction | null>;
}

/** In bytes of JSON; most entries have 1 to 4 KB. */
const KEPT = { maxSize: 4 * 1024 * 1024, maxEntrySize: 256 * 1024 };

/** The code and the links of a stored message. */
export async function extractedFrom(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  shown: MessageAndMail,
): Promise<Extraction> {
  const { subject, text, html, fromAddress } = shown.mail;
  const headers = await storedHeaders(context, shown);
  return extract({
    subject,
    text,
    html,
    from: fromAddress,
    listUnsubscribe: valueOf(headers, 'list-unsubscribe'),
    listUnsubscribePost: valueOf(headers, 'list-unsubscribe-post'),
  });
}

function valueOf(headers: HeaderField[], field: string): string | null {
  return headers.find(({ name }) => name.toLowerCase() === field)?.value ?? null;
}

/** @param render the extraction as JSON */
export function openExtractions(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  render: (extraction: Extraction) => Buffer,
): Extractions {
  const kept = new LRUCache<string, KeptExtraction>({
    ...KEPT,
    sizeCalculation: ({ json }) => json.length,
  });

  const of: Extractions['of'] = async (shown) => {
    const { id } = shown.message;
    const known = kept.get(id);
    if (known) return known;
    const extraction = await extractedFrom(context, shown);
    const made = {
      json: render(extraction),
      hasCode: extraction.code !== null,
      linkKinds: new Set(extraction.links.map(({ kind }) => kind)),
    };
    kept.set(id, made);
    return made;
  };

  return {
    of,
    known: (messageId) => kept.get(messageId),
    async ofId(messageId) {
      const known = kept.get(messageId);
      if (known) return known;
      const [shown] = await messagesById(context.store, [messageId]);
      return shown ? of(shown) : null;
    },
  };
}
