/** Collects a page of messages that match a query, with a limit on the duration. */
import type { MessagePosition } from '../../db/statements/messages.ts';
import { inBatches } from '../batches.ts';
import { encodeCursor } from '../messages/cursor.ts';
import { type SearchCandidate, type Searching, matching, readsBodies } from './load-documents.ts';
import type { ParsedQuery } from './query.ts';
import type { CandidateSource } from './candidate-source.ts';

export interface SearchResult {
  /** Newest first. */
  rows: SearchCandidate[];
  nextCursor: string | null;
  /** False if the time was over before the page was full and all messages were searched. */
  complete: boolean;
}

interface Collecting {
  query: ParsedQuery;
  limit: number;
  /** Only messages before this position. */
  before: MessagePosition;
  /** Whether the search must end; asked after each batch. */
  isOver: () => boolean;
}

const BATCH = 100;
const MAX_BATCH_BODY_BYTES = 1024 * 1024;

export async function collect(
  context: Searching,
  candidates: CandidateSource,
  { query, limit, before, isOver }: Collecting,
): Promise<SearchResult> {
  const found: SearchCandidate[] = [];
  const limits = {
    maxItems: BATCH,
    maxBytes: readsBodies(query) ? MAX_BATCH_BODY_BYTES : Infinity,
    bytesOf: ({ bodyBytes }: SearchCandidate) => bodyBytes,
  };
  for (let from = before; ;) {
    const { rows, end } = await candidates(from);
    for (const batch of inBatches(rows, limits)) {
      for (const row of await matching(context, batch, query)) found.push(row);
      if (found.length > limit) return fullPage(found.slice(0, limit));
      const last = batch.at(-1);
      if (last && last !== rows.at(-1) && isOver()) return partOf(found, last, limit);
    }
    if (end === null) return { rows: found, nextCursor: null, complete: true };
    if (isOver()) return partOf(found, end, limit);
    from = end;
  }
}

function fullPage(rows: SearchCandidate[]): SearchResult {
  const last = rows.at(-1);
  return { rows, nextCursor: last ? encodeCursor(last) : null, complete: true };
}

function partOf(rows: SearchCandidate[], end: MessagePosition, limit: number): SearchResult {
  return { rows, nextCursor: encodeCursor(end), complete: rows.length === limit };
}
