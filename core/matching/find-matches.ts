/** Reads the messages that a request considers, and finds those that match its criteria. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type NumberedMessage,
  messagesByNumber,
  numberedPage,
} from '../../db/statements/messages.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { NEWEST } from '../messages/cursor.ts';
import { lastNumberIn } from '../messages/mark.ts';
import type { Contents, TestResult } from './contents.ts';
import type { Criterion, CriterionName } from './criteria.ts';

const PAGE = 1000;
const MAX_NEAREST = 5;

export interface MatchQuery {
  criteria: Criterion[];
  /** Only messages with a greater number. */
  after?: number;
  /** Only messages received after this time. */
  since?: Date;
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
  failed: CriterionName[];
}

export interface Considered extends NearMiss {
  number: number;
}

export interface MatchResult {
  matches: NumberedMessage[];
  /** The first messages that were considered, in the order of their numbers. */
  considered: Considered[];
  unmatched: { count: number; nearest: NearMiss[] };
  /** All messages up to this number were considered. */
  upTo: number;
  /** Whether they are all that were there. */
  isComplete: boolean;
  /** The number to continue at: with `order` oldest, that of the last match. */
  next: number;
}

/**
 * Considers messages in the order of their numbers. Without a number and a time, they are the
 * newest 1,000. Messages that are committed after the call are not considered.
 */
export async function findMatches(
  context: Pick<Context, 'now' | 'store'>,
  contents: Contents,
  mailbox: MailboxRow,
  asked: MatchQuery,
): Promise<MatchResult> {
  const { criteria, count, order, after = 0, listed = 0 } = asked;
  const last = await lastNumberIn(context, mailbox);
  const fitting: NumberedMessage[] = [];
  const misses: NearMiss[] = [];
  const considered: Considered[] = [];
  let missed = 0;
  let upTo = after;
  let isComplete = true;
  for await (const rows of pages(context, mailbox.id, asked, last)) {
    let tests = 0;
    for await (const { row, tested } of contents.test(mailbox, rows, criteria, asked)) {
      tests += 1;
      upTo = row.number;
      if (!tested) continue;
      const failed = tested.failed.map(({ name }) => name);
      const one = { messageId: row.id, subject: tested.subject, failed };
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
  return { matches, considered, unmatched, upTo, isComplete, next };
}

/** Messages in the order of their numbers. */
async function* pages(
  context: Pick<Context, 'now' | 'store'>,
  mailboxId: string,
  { after, since }: MatchQuery,
  upTo: number,
): AsyncGenerator<NumberedMessage[]> {
  const isBounded = after !== undefined || since !== undefined;
  const newest: NumberedMessage[] = [];
  let last = { ...NEWEST, number: after ?? 0 };
  for (;;) {
    const { number, receivedAt, id } = last;
    const now = new Date(context.now());
    const place = { mailboxId, now, since: since ?? new Date(-1), id, upTo, limit: PAGE };
    const rows =
      after === undefined
        ? await context.store.execute(numberedPage, { ...place, receivedAt })
        : await context.store.execute(messagesByNumber, { ...place, number });
    if (after === undefined) for (const row of rows) newest.push(row);
    else yield rows;
    const end = rows.at(-1);
    if (!end || rows.length < PAGE || !isBounded) break;
    last = end;
    await nextTurn();
  }
  yield newest.sort((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1));
}

/** Keeps the messages with the fewest failures, and of equal ones the newest, which come last. */
function addMiss(misses: NearMiss[], miss: NearMiss): void {
  const place = misses.findIndex(({ failed }) => failed.length >= miss.failed.length);
  if (place < 0 && misses.length >= MAX_NEAREST) return;
  misses.splice(place < 0 ? misses.length : place, 0, miss);
  if (misses.length > MAX_NEAREST) misses.pop();
}
