/** Collects a page of messages that match a query, with a limit on the duration. */
import type { Position } from '../../db/statements/messages.ts';
import { inBatches } from '../batches.ts';
import { encodeCursor } from '../messages/cursor.ts';
import { type Candidate, type Searching, matching, readsBodies } from './load-documents.ts';
import type { Query } from './query.ts';
import type { Stretch } from './positions.ts';

export interface SearchResult {
  /** Newest first. */
  rows: Candidate[];
  nextCursor: string | null;
  /** False if the time was over before the page was full and all messages were searched. */
  complete: boolean;
}

interface Collecting {
  query: Query;
  limit: number;
  /** Whether the search must end; asked after each batch. */
  isOver: () => boolean;
}

const BATCH = 100;
const MAX_BATCH_BODY_BYTES = 1024 * 1024;

/** @param stretches candidates, newest first */
export async function collect(
  context: Searching,
  stretches: AsyncIterable<Stretch>,
  { query, limit, isOver }: Collecting,
): Promise<SearchResult> {
  const found: Candidate[] = [];
  const limits = {
    maxItems: BATCH,
    maxBytes: readsBodies(query) ? MAX_BATCH_BODY_BYTES : Infinity,
    bytesOf: ({ bodyBytes }: Candidate) => bodyBytes,
  };
  for await (const { rows, end } of stretches) {
    for (const batch of inBatches(rows, limits)) {
      for (const row of await matching(context, batch, query)) found.push(row);
      if (found.length > limit) return fullPage(found.slice(0, limit));
      const last = batch.at(-1);
      if (last && last !== rows.at(-1) && isOver()) return partOf(found, last, limit);
    }
    if (end === null) break;
    if (isOver()) return partOf(found, end, limit);
  }
  return { rows: found, nextCursor: null, complete: true };
}

function fullPage(rows: Candidate[]): SearchResult {
  const last = rows.at(-1);
  return { rows, nextCursor: last ? encodeCursor(last) : null, complete: true };
}

function partOf(rows: Candidate[], end: Position, limit: number): SearchResult {
  return { rows, nextCursor: encodeCursor(end), complete: rows.length === limit };
}
