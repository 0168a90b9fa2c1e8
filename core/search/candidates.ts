/**
 * The messages that can match a query, newest first: by the index if that has the words of the
 * query, otherwise by a scan. Unless the index finds mails one by one, the newest messages are
 * scanned first, because a common word is found there soon. A page collects those that match.
 */
import type { IndexedWord } from '../../db/search-index.ts';
import type { Context } from '../context.ts';
import { wordsToQuery } from './index-words.ts';
import type { CandidateSource } from './scan.ts';
import { type Proposing, proposals } from './proposals.ts';
import type { ParsedQuery } from './query.ts';
import { indexLag } from './index-mails.ts';
import type { MessagePosition } from '../../db/statements/messages.ts';
import { inBatches } from '../batches.ts';
import { type Predicate, laneOf, partsOf, readsBodies } from '../matching/predicate.ts';
import { SLICE_MS } from '../matching/slices.ts';
import { encodeCursor } from '../messages/cursor.ts';
import { type SearchCandidate, type Searching, filterByQuery } from './load-documents.ts';
import { compileQuery } from './matches.ts';

interface Choice extends Omit<Proposing, 'words'> {
  query: ParsedQuery;
  /** Whether all mails with these words are in the searched mailboxes. */
  areScopesExact: boolean;
  /** All messages, so many at once. */
  scan: (rowsAtOnce: number) => CandidateSource;
}

const ROWS_AT_ONCE = 500;
/** Messages that are scanned before the index is asked. */
const SCANNED_FIRST = 150;
/** With more mails that are not indexed, all are scanned. */
const MAX_UNINDEXED = 20_000;
/** With more, reading them takes longer than a scan that finds a common word. */
const FEW_UNINDEXED = 500;

export async function openCandidateSource(
  context: Pick<Context, 'store' | 'config'>,
  { query, areScopesExact, scan, ...proposing }: Choice,
): Promise<CandidateSource> {
  const words = context.config.searchIndex ? wordsToQuery(query) : [];
  if (words.length === 0) return scan(ROWS_AT_ONCE);
  const { unindexed } = await indexLag(context, MAX_UNINDEXED + 1);
  if (unindexed > MAX_UNINDEXED) return scan(ROWS_AT_ONCE);
  const proposed = proposals(context, { words, ...proposing });
  if (areScopesExact && unindexed <= FEW_UNINDEXED && (await isStreamed(context, words))) {
    return proposed;
  }
  let next = scan(SCANNED_FIRST);
  return (before) => {
    const read = next;
    next = proposed;
    return read(before);
  };
}

/** Whether the index finds mails with these words one by one, without reading all of them. */
async function isStreamed(
  { store }: Pick<Context, 'store'>,
  [word, ...others]: IndexedWord[],
): Promise<boolean> {
  if (!word || others.length > 0) return false; // mails with both may be few among many
  return (await store.search.complete(word)) !== null;
}

export interface SearchResult {
  /** Newest first. */
  rows: SearchCandidate[];
  nextCursor: string | null;
  /** False if the time was over before the page was full and all messages were searched. */
  complete: boolean;
}

interface Collecting {
  workspaceId: string;
  query: ParsedQuery;
  limit: number;
  /** Only messages before this position. */
  before: MessagePosition;
  /** In milliseconds of its own, after which the search returns what it has found. */
  maxDurationMs: number;
  /** Aborted when nobody waits for the result. */
  gone?: AbortSignal;
}

const BATCH = 100;
const MAX_BATCH_BODY_BYTES = 1024 * 1024;

/**
 * Searches in slices, in the turns of the workspace. Without a query, the first step is one
 * statement, which does not wait for searches.
 */
export async function collectResults(
  searching: Searching,
  open: () => Promise<CandidateSource>,
  { workspaceId, maxDurationMs, gone, ...asked }: Collecting,
): Promise<SearchResult> {
  const predicate = compileQuery(asked.query);
  let spentMs = 0;
  let result: SearchResult = { rows: [], nextCursor: null, complete: false };
  const isOver = () => gone?.aborted === true || spentMs > maxDurationMs;
  const steps = collect(searching, open, predicate, { ...asked, isOver });
  const slice = async (): Promise<boolean> => {
    const began = performance.now();
    for (let ms = 0; ms < SLICE_MS;) {
      const step = await steps.next();
      ms = performance.now() - began;
      if (step.done) {
        result = step.value;
        return false;
      }
    }
    spentMs += performance.now() - began;
    return true;
  };
  if (predicate.length === 0 && !(await slice())) return result;
  const work = { workspaceId, lane: laneOf(predicate), ...(gone && { gone }) };
  await searching.slices.run(work, slice).catch((error: unknown) => {
    if (!gone?.aborted) throw error; // nobody waits for the result
  });
  return result;
}

async function* collect(
  searching: Searching,
  open: () => Promise<CandidateSource>,
  predicate: Predicate,
  { limit, before, isOver }: Pick<Collecting, 'limit' | 'before'> & { isOver: () => boolean },
): AsyncGenerator<void, SearchResult> {
  const found: SearchCandidate[] = [];
  const limits = {
    maxItems: BATCH,
    maxBytes: readsBodies(partsOf(predicate)) ? MAX_BATCH_BODY_BYTES : Infinity,
    bytesOf: ({ bodyBytes }: SearchCandidate) => bodyBytes,
  };
  const candidates = await open();
  for (let from = before; ;) {
    const { rows, end } = await candidates(from);
    for (const batch of inBatches(rows, limits)) {
      for (const row of await filterByQuery(searching, batch, predicate)) found.push(row);
      if (found.length > limit) return fullPage(found.slice(0, limit));
      if (predicate.length > 0) yield;
      const last = batch.at(-1);
      if (last && last !== rows.at(-1) && isOver()) return partOf(found, last, limit);
    }
    if (end === null) return { rows: found, nextCursor: null, complete: true };
    if (isOver()) return partOf(found, end, limit);
    yield;
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
