/**
 * Walks the messages that the index proposes together with those that are not indexed yet, newest
 * first. A mail that is indexed during the walk is in both, so those that are not indexed are read
 * first, and each message is given once.
 */
import type { IndexedWord } from '../../db/search-index.ts';
import type { Position } from '../../db/statements/messages.ts';
import {
  type SearchedMailboxes,
  messagesOfMails,
  unindexedMessages,
} from '../../db/statements/search.ts';
import type { Context } from '../context.ts';
import { EXEMPT } from './index-words.ts';
import type { Candidate } from './load-documents.ts';
import { type Stretch, comparePositions, startOf } from './positions.ts';
import { toCandidate } from './walk-mailboxes.ts';

export interface Proposing {
  searched: SearchedMailboxes;
  /** The word of a workspace or a mailbox. */
  scope: string;
  words: IndexedWord[];
  /** The number of mails that are not indexed. */
  unindexed: number;
  before: Position;
  from: Date;
}

const FIRST_MAILS = 64;
const MAX_MAILS = 512;

export async function* walkProposals(
  { store }: Pick<Context, 'store'>,
  { searched, scope, words, unindexed: count, before: start, from }: Proposing,
): AsyncGenerator<Stretch> {
  let before = start;
  let unindexed =
    count > 0
      ? (await store.ask(unindexedMessages, searched, { from, before })).map(toCandidate)
      : [];
  // After that: a mail that is indexed meanwhile can have words that no other mail has.
  const completed = await Promise.all(words.map((word) => complete(store, word)));
  let until = new Date(start.receivedAt.getTime() + 1);
  let limit = FIRST_MAILS;
  for (;;) {
    const wanted = { scope, words: completed, exempt: EXEMPT, from, until, limit };
    const proposed = await store.search.propose(wanted);
    const isLast = proposed.length < limit;
    // More mails can have the time of the last one.
    const cut = isLast ? null : (proposed.at(-1)?.receivedAt ?? null);
    const ids = proposed
      .filter(({ receivedAt }) => cut === null || receivedAt > cut)
      .map(({ mailId }) => mailId);
    if (cut !== null && ids.length === 0) {
      limit *= 4;
      continue;
    }
    const end = cut === null ? null : startOf(new Date(cut.getTime() + 1));
    const slice = { from: end?.receivedAt ?? from, before };
    const indexed = (await store.ask(messagesOfMails, searched, slice, ids)).map(toCandidate);
    const isWithin = (row: Candidate) => end === null || comparePositions(row, end) > 0;
    yield { rows: merge(indexed, unindexed.filter(isWithin)), end };
    if (end === null) return;
    unindexed = unindexed.filter((row) => !isWithin(row));
    before = end;
    until = end.receivedAt;
    limit = Math.min(limit * 2, MAX_MAILS);
  }
}

/** Complete words instead of a prefix, which the index finds faster, if it has few. */
async function complete(
  { search }: Context['store'],
  word: IndexedWord,
): Promise<readonly IndexedWord[]> {
  const words = await search.complete(word);
  if (words === null) return [word];
  return [word.word, ...words].map((each) => ({ word: each, isPrefix: false }));
}

function merge(indexed: Candidate[], unindexed: Candidate[]): Candidate[] {
  if (unindexed.length === 0) return indexed;
  const byId = new Map([...indexed, ...unindexed].map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => comparePositions(b, a));
}
