/** Finds the messages that match a query among those that can. */
import type { PagedMessage } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import type { Document } from '../matching/document.ts';
import type { Documents } from '../matching/documents.ts';
import { type LiveState, type Part, type Predicate, matchesAll } from '../matching/predicate.ts';
import type { Slices } from '../matching/slices.ts';
import { openPauses } from '../pauses.ts';

/** What the searches of a process share with its waits and claims. */
export interface Searches {
  documents: Documents;
  slices: Slices;
}

export interface Searching extends Searches, Pick<Context, 'log'> {}

/** A message that may match a query. */
export interface SearchCandidate extends PagedMessage {
  mailbox: NonNullable<LiveState['mailbox']>;
}

/** The parts of a message, those that cost least first. */
const PARTS: readonly Part[] = [
  ...(['summary', 'addresses', 'claim', 'details', 'filename', 'html', 'text', 'links'] as const),
  'header',
];

/** A claim is looked at without the message. */
const UNREAD = {} as Document;

/**
 * Those of up to 100 candidates that match the query. Parts that cost more are loaded for fewer. A
 * message that cannot be read is left out: it must not make each search fail that comes to it.
 */
export async function filterByQuery<Some extends SearchCandidate>(
  { documents, log }: Omit<Searching, 'slices'>,
  candidates: Some[],
  predicate: Predicate,
): Promise<Some[]> {
  const isMatch = (id: string, stage: Predicate, document: Document, live: LiveState) => {
    try {
      return matchesAll(stage, document, live);
    } catch (error) {
      log.warn('message left out of a search', { messageId: id, error });
      return false;
    } finally {
      document.body?.forget();
    }
  };
  const pause = openPauses();
  let left = candidates;
  for (const stage of stagesOf(predicate)) {
    const found: Some[] = [];
    for await (const batch of documents.load(left, stage, { keepsLong: false })) {
      for (const { row, document, isClaimed } of batch) {
        const live = { isClaimed, mailbox: row.mailbox };
        if (document !== null && isMatch(row.id, stage, document ?? UNREAD, live)) found.push(row);
        await pause();
      }
    }
    left = found;
  }
  return left;
}

/** The conditions by the most costly part that they need. */
function stagesOf(predicate: Predicate): Predicate[] {
  return PARTS.map((_part, rank) =>
    predicate.filter(({ needs }) => PARTS.findLastIndex((each) => needs.includes(each)) === rank),
  ).filter((stage) => stage.length > 0);
}
