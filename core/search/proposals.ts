/**
 * Reads the messages that the index proposes together with those that are not indexed yet, newest
 * first. A mail that is indexed during the search is in both, so those that are not indexed are
 * read first, and each message is given once.
 */
import type { IndexedWord } from '../../db/search-index.ts';
import type { MessagePosition } from '../../db/statements/messages.ts';
import {
  type SearchedMailboxes,
  messagesOfMails,
  unindexedMessages,
} from '../../db/statements/search.ts';
import type { Context } from '../context.ts';
import { EXEMPT } from './index-words.ts';
import type { SearchCandidate } from './load-documents.ts';
import { comparePositions } from '../messages/cursor.ts';
import { type CandidateSource, startOf, toCandidate } from './scan.ts';

export interface Proposing {
  searched: SearchedMailboxes;
  /** The words of a workspace, or of mailboxes. */
  scopes: string[];
  words: IndexedWord[];
  from: Date;
}

interface Prepared {
  unindexed: SearchCandidate[];
  words: (readonly IndexedWord[])[];
}

const FIRST_MAILS = 64;
const MAX_MAILS = 512;

export function proposals(
  { store }: Pick<Context, 'store'>,
  { searched, scopes, words, from }: Proposing,
): CandidateSource {
  let prepared: Prepared | undefined;
  let limit = FIRST_MAILS;
  const prepare = async (before: MessagePosition): Promise<Prepared> => {
    const unindexed = await store.query(unindexedMessages, searched, { from, before });
    // After that: a mail that is indexed meanwhile can have words that no other mail has.
    const completed = await Promise.all(words.map((word) => complete(store, word)));
    return { unindexed: unindexed.map(toCandidate), words: completed };
  };
  return async (before) => {
    prepared ??= await prepare(before);
    const { mailIds, end } = await proposedMails(store.search.propose, {
      ...{ scopes, words: prepared.words, exempt: EXEMPT, from, until: endOf(before), limit },
    });
    limit = Math.min(limit * 2, MAX_MAILS);
    const slice = { from: end?.receivedAt ?? from, before };
    const indexed = (await store.query(messagesOfMails, searched, slice, mailIds)).map(toCandidate);
    const isWithin = (row: SearchCandidate) =>
      comparePositions(row, before) < 0 && (end === null || comparePositions(row, end) > 0);
    return { rows: merge(indexed, prepared.unindexed.filter(isWithin)), end };
  };
}

/** The next mails, and the position before which no mail was proposed; null if none is left. */
async function proposedMails(
  propose: Context['store']['search']['propose'],
  wanted: Parameters<typeof propose>[0],
): Promise<{ mailIds: string[]; end: MessagePosition | null }> {
  const proposed = await propose(wanted);
  const last = proposed.at(-1);
  if (!last || proposed.length < wanted.limit) {
    return { mailIds: proposed.map(({ mailId }) => mailId), end: null };
  }
  // More mails can have the time of the last one.
  const whole = proposed.filter(({ receivedAt }) => receivedAt > last.receivedAt);
  if (whole.length === 0) return proposedMails(propose, { ...wanted, limit: wanted.limit * 4 });
  const end = startOf(new Date(last.receivedAt.getTime() + 1));
  return { mailIds: whole.map(({ mailId }) => mailId), end };
}

/** The time before which all mails of messages before the position arrived. */
function endOf(before: MessagePosition): Date {
  const isStart = comparePositions(before, startOf(before.receivedAt)) <= 0;
  return new Date(before.receivedAt.getTime() + (isStart ? 0 : 1));
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

function merge(indexed: SearchCandidate[], unindexed: SearchCandidate[]): SearchCandidate[] {
  if (unindexed.length === 0) return indexed;
  const byId = new Map([...indexed, ...unindexed].map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => comparePositions(b, a));
}
