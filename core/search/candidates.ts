/**
 * The messages that can match a query, newest first: by the index if that has the words of the
 * query, otherwise by a scan. Unless the index finds mails one by one, the newest messages are
 * scanned first, because a common word is found there soon.
 */
import type { IndexedWord } from '../../db/search-index.ts';
import type { Context } from '../context.ts';
import { wordsToQuery } from './index-words.ts';
import type { CandidateSource } from './candidate-source.ts';
import { type Proposing, proposals } from './proposals.ts';
import type { ParsedQuery } from './query.ts';
import { indexLag } from './index-mails.ts';

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

export async function candidatesOf(
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
  return oneOf(scan(SCANNED_FIRST), proposed);
}

/** One stretch of the first, and then the other. */
function oneOf(first: CandidateSource, other: CandidateSource): CandidateSource {
  let next = first;
  return (before) => {
    const read = next;
    next = other;
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
