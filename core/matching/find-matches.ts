/** Reads the messages that a request considers, and finds those that match its criteria. */
import type { Context } from '../context.ts';
import { lastNumberIn } from '../messages/mark.ts';
import type { Contents, TestResult } from './contents.ts';
import type { Criterion, CriterionName } from './criteria.ts';
import type { FoundMessage, MessageSource, SourceRange } from './message-source.ts';

const MAX_NEAREST = 5;

export interface MatchQuery extends SourceRange {
  criteria: Criterion[];
  /** Number of messages to return at most. */
  count: number;
  /** Which messages are returned, and their order: that of their numbers, or the opposite. */
  order: 'oldest' | 'newest';
  /** Asked before each few messages; once true, the search ends. */
  isOver?: () => boolean;
  /** Results of earlier calls with the same criteria. */
  known?: Map<string, TestResult>;
  /** Number of considered messages that are listed at most, whether they match or not. */
  listed?: number;
}

/** A message that does not match, and why. */
export interface NearMiss {
  messageId: string;
  subject: string;
  /** The name of its mailbox, if the source has several. */
  mailbox?: string;
  failed: CriterionName[];
}

export interface Considered extends NearMiss {
  number: number;
}

export interface MatchResult {
  matches: FoundMessage[];
  /** The first messages that were considered, in the order of their numbers. */
  considered: Considered[];
  unmatched: { count: number; nearest: NearMiss[] };
  /** All messages up to this number were considered. */
  upTo: number;
  /** Whether they are all that were there. */
  isComplete: boolean;
  /** Whether the source left out messages that the query asks for. */
  isCut: boolean;
  /** The number to continue at: with `order` oldest, that of the last match. */
  next: number;
}

/**
 * Considers messages of a source in the order of their numbers. Messages that are committed after
 * the call are not considered.
 */
export async function findMatches(
  context: Pick<Context, 'store'>,
  contents: Contents,
  source: MessageSource,
  asked: MatchQuery,
): Promise<MatchResult> {
  const { criteria, count, order, after = 0, listed = 0 } = asked;
  const last = await lastNumberIn(context, source);
  const fitting: FoundMessage[] = [];
  const misses: NearMiss[] = [];
  const considered: Considered[] = [];
  let missed = 0;
  let upTo = after;
  let isComplete = true;
  let isCut = false;
  for await (const { rows, isCut: isPageCut = false } of source.pages(asked, last)) {
    isCut ||= isPageCut;
    let tests = 0;
    for await (const { row, tested } of contents.test(rows, criteria, asked)) {
      tests += 1;
      upTo = row.number;
      if (!tested) continue;
      const failed = tested.failed.map(({ name }) => name);
      const { id: messageId, mailboxName: mailbox } = row;
      const one = {
        ...{ messageId, subject: tested.subject, failed },
        ...(mailbox === undefined ? {} : { mailbox }),
      };
      if (considered.length < listed) considered.push({ ...one, number: row.number });
      if (failed.length === 0) fitting.push(row);
      else {
        missed += 1;
        addMiss(misses, one);
      }
    }
    isComplete = tests === rows.length;
    if (!isComplete) break;
  }
  if (isComplete) upTo = last;
  if (order === 'newest') fitting.reverse();
  const matches = fitting.slice(0, count);
  const end = order === 'oldest' ? matches.at(-1) : undefined;
  const unmatched = { count: missed, nearest: misses };
  const next = end ? end.number : upTo;
  return { matches, considered, unmatched, upTo, isComplete, isCut, next };
}

/** Keeps the messages with the fewest failures, and of equal ones the newest, which come last. */
function addMiss(misses: NearMiss[], miss: NearMiss): void {
  const place = misses.findIndex(({ failed }) => failed.length >= miss.failed.length);
  if (place < 0 && misses.length >= MAX_NEAREST) return;
  misses.splice(place < 0 ? misses.length : place, 0, miss);
  if (misses.length > MAX_NEAREST) misses.pop();
}
