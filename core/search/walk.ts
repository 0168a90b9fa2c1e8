/**
 * Walks the messages that can match a query, newest first: by the index if that has the words of
 * the query, otherwise by a scan. Unless the index finds mails one by one, the newest messages are
 * scanned first, because a common word is found there soon.
 */
import type { IndexedWord } from '../../db/search-index.ts';
import type { Position } from '../../db/statements/messages.ts';
import { type SearchedMailboxes, countUnindexed } from '../../db/statements/search.ts';
import type { Context } from '../context.ts';
import { wordsToAsk } from './index-words.ts';
import type { Stretch } from './positions.ts';
import type { Query } from './query.ts';
import { walkProposals } from './walk-proposals.ts';

export interface Walk {
  query: Query;
  searched: SearchedMailboxes;
  /** The word of all mails of the workspace or the mailbox in the index. */
  scope: string;
  /** Whether all mails with this word are in the searched mailboxes. */
  isScopeExact: boolean;
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
/** With more, reading them takes longer than a scan that finds a common word. */
const FEW_UNINDEXED = 500;

export async function* walk(
  context: Pick<Context, 'store' | 'config'>,
  { query, searched, scope, isScopeExact, before: start, from, scan }: Walk,
): AsyncGenerator<Stretch> {
  const words = context.config.searchIndex ? wordsToAsk(query) : [];
  const unindexed = words.length > 0 ? await unindexedMails(context) : Infinity;
  if (unindexed > MAX_UNINDEXED) {
    yield* scan(start, ROWS_AT_ONCE);
    return;
  }
  let before = start;
  if (!isScopeExact || unindexed > FEW_UNINDEXED || !(await isStreamed(context, words))) {
    let scanned = 0;
    for await (const stretch of scan(start, SCANNED_FIRST)) {
      yield stretch;
      if (stretch.end === null) return;
      before = stretch.end;
      scanned += stretch.rows.length;
      if (scanned >= SCANNED_FIRST) break;
    }
  }
  yield* walkProposals(context, { searched, scope, words, unindexed, before, from });
}

async function unindexedMails({ store }: Pick<Context, 'store'>): Promise<number> {
  const [unindexed] = await store.ask(countUnindexed, MAX_UNINDEXED + 1);
  return unindexed?.count ?? 0;
}

/** Whether the index finds mails with these words one by one, without reading all of them. */
async function isStreamed(
  { store }: Pick<Context, 'store'>,
  [word, ...others]: IndexedWord[],
): Promise<boolean> {
  if (!word || others.length > 0) return false; // mails with both may be few among many
  return (await store.search.complete(word)) !== null;
}
