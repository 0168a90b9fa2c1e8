/**
 * Keeps what was extracted from messages. It never changes while the process runs: the content of a
 * message is fixed, and the version of the rules is part of the program.
 */
import { LRUCache } from 'lru-cache';
import { type MessageAndMail, messagesById } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import type { Extraction, LinkKind } from '../extraction/types.ts';
import { NEVER } from '../mime/reading.ts';
import { EXTRACTED_FROM, type StoredContent, extractMail } from './extract-mail.ts';
import { storedHead } from './headers.ts';

export type Extracting = Pick<Context, 'store' | 'blobs' | 'log' | 'ingest'>;

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
  of: (shown: MessageAndMail, gone?: AbortSignal) => Promise<KeptExtraction>;
  /** The extraction of the message with this id, if it is kept. */
  known: (messageId: string) => KeptExtraction | undefined;
  /** Same as `of` for an id; null if the message was deleted. */
  ofId: (messageId: string, gone?: AbortSignal) => Promise<KeptExtraction | null>;
}

/** In bytes of JSON; most entries have 1 to 4 KB. */
const KEPT = { maxSize: 4 * 1024 * 1024, maxEntrySize: 256 * 1024 };

/**
 * The code and the links of a stored message.
 * @param gone aborted when the client that asks closes its connection
 * @throws {AppError} `unavailable` as {@link Reading}.
 */
export function extractedFrom(
  context: Extracting,
  shown: MessageAndMail,
  gone: AbortSignal = NEVER,
): Promise<Extraction> {
  const { workspaceId } = shown.message;
  const load = () => contentOf(context, shown);
  return context.ingest.reading.run({ workspaceId, gone }, extractMail, load);
}

/** What extraction reads of a message. */
export async function contentOf(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  shown: MessageAndMail,
): Promise<StoredContent> {
  const { subject, text, html, fromAddress } = shown.mail;
  return {
    subject,
    text: text?.slice(0, EXTRACTED_FROM) ?? null,
    html: html?.slice(0, EXTRACTED_FROM) ?? null,
    from: fromAddress,
    head: await storedHead(context, shown),
  };
}

/** @param render the extraction as JSON */
export function openExtractions(
  context: Extracting,
  render: (extraction: Extraction) => Buffer,
): Extractions {
  const kept = new LRUCache<string, KeptExtraction>({
    ...KEPT,
    sizeCalculation: ({ json }) => json.length,
  });

  const of: Extractions['of'] = async (shown, gone) => {
    const { id } = shown.message;
    const known = kept.get(id);
    if (known) return known;
    const extraction = await extractedFrom(context, shown, gone);
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
    async ofId(messageId, gone) {
      const known = kept.get(messageId);
      if (known) return known;
      const [shown] = await messagesById(context.store, [messageId]);
      return shown ? of(shown, gone) : null;
    },
  };
}
