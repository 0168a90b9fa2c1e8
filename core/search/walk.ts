/**
 * Walks the messages that can match a query, newest first: by the index if that has the words of
 * the query, otherwise by a scan. Where the index reads all mails with a word, the newest messages
 * are scanned first, because a common word is found there soon.
 */
import type { Position } from '../../db/statements/messages.js';
import { type SearchedMailboxes, countUnindexed } from '../../db/statements/search.js';
import type { Context } from '../context.js';
import { wordsToAsk } from './index-words.js';
import type { Stretch } from './positions.js';
import type { Query } from './query.js';
import { walkProposals } from './walk-proposals.js';

export interface Walk {
  query: Query;
  searched: SearchedMailboxes;
  /** The word of all mails of the workspace or the mailbox in the index. */
  scope: string;
  before: Position;
  /** Only messages received at this time or later. */
  from: Date;
  /** All messages before a position, newest first. */
  scan: (before: Position, rowsAtOnce: number) => AsyncIterable<Stretch>;
}

const ROWS_AT_ONCE = 500;
/** Messages that are scanned before the index is asked. */
const SCANNED_FIRST = 150;
/** With more mails that are not indexed, all are scanned. */
const MAX_UNINDEXED = 20_000;

export async function* walk(
  context: Pick<Context, 'store' | 'config'>,
  { query, searched, scope, before: start, from, scan }: Walk,
): AsyncGenerator<Stretch> {
  const words = context.config.searchIndex ? wordsToAsk(query) : [];
  let before = start;
  if (words.length > 0) {
    const isLazy = await context.store.search.isLazy(words);
    if (!isLazy) {
      let scanned = 0;
      for await (const stretch of scan(start, SCANNED_FIRST)) {
        yield stretch;
        if (stretch.end === null) return;
        before = stretch.end;
        scanned += stretch.rows.length;
        if (scanned >= SCANNED_FIRST) break;
      }
    }
    if (await isIndexed(context)) {
      yield* walkProposals(context, { searched, scope, words, before, from });
      return;
    }
  }
  yield* scan(before, ROWS_AT_ONCE);
}

async function isIndexed({ store }: Pick<Context, 'store'>): Promise<boolean> {
  const [unindexed] = await store.ask(countUnindexed, MAX_UNINDEXED + 1);
  return (unindexed?.count ?? 0) <= MAX_UNINDEXED;
}
