/** Reads the messages that a request considers, and finds those that match its criteria. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type PagedMessage, type Position, messagePage } from '../../db/statements/messages.ts';
import { liveClaimsAmong } from '../../db/statements/claims.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import {
  type Mark,
  MARK_POSITIONS,
  NEWEST,
  comparePositions,
  isAfterMark,
  markOf,
} from '../messages/mark.ts';
import type { Contents } from './contents.ts';
import { type Content, type Criterion, type CriterionName, failedCriteria } from './criteria.ts';

const PAGE = 1000;
const MAX_NEAREST = 5;

export interface Asked {
  criteria: Criterion[];
  /** Only messages after this mark. */
  mark?: Mark;
  /** Only messages received after this time. */
  since?: Date;
  /** Number of messages to return at most. */
  count: number;
  /** Which messages are returned, and their order. */
  order: 'oldest' | 'newest';
}

/** A message that does not match, and why. */
export interface NearMiss {
  messageId: string;
  subject: string;
  failed: CriterionName[];
}

export interface Found {
  matches: PagedMessage[];
  unmatched: { count: number; nearest: NearMiss[] };
  /** With `order` oldest, ends at the last match; otherwise covers all that was visible. */
  mark: string;
}

/**
 * Without a mark and a time, the newest 1,000 messages are considered. The newest messages come
 * first in one reading, so no message is covered by the mark without having been considered.
 */
export async function look(
  context: Pick<Context, 'now' | 'store'>,
  contents: Contents,
  mailbox: MailboxRow,
  asked: Asked,
): Promise<Found> {
  const { criteria, mark, count, order } = asked;
  const seen: Position[] = [];
  const fitting: PagedMessage[] = [];
  const misses: NearMiss[] = [];
  let missed = 0;
  const start = startOf(asked);
  let floor = start;
  for await (const page of pages(context, mailbox.id, start)) {
    const positions = order === 'newest' ? page.rows.slice(0, MARK_POSITIONS) : page.rows;
    for (const position of positions) seen.push(position);
    floor ??= page.isCut ? page.rows.at(-1) : undefined;
    const considered = mark ? page.rows.filter((row) => isAfterMark(mark, row)) : page.rows;
    if (criteria.length === 0) {
      for (const row of considered) fitting.push(row);
      continue;
    }
    const content = await contents.of(mailbox, considered, criteria);
    if (criteria.some(({ need }) => need === 'claim')) await markClaimed(context, content);
    for (const row of considered) {
      const each = content.get(row.id);
      if (!each) continue;
      const failed = failedCriteria(criteria, each);
      if (failed.length === 0) fitting.push(row);
      else {
        missed += 1;
        addMiss(misses, row.id, each, failed);
      }
    }
  }
  const matches = order === 'newest' ? fitting.slice(0, count) : fitting.slice(-count).reverse();
  const last = order === 'oldest' ? matches.at(-1) : undefined;
  const covered = last
    ? seen.filter((one) => comparePositions(one, last) <= 0 || isBefore(mark, one))
    : seen;
  return {
    matches,
    unmatched: { count: missed, nearest: misses },
    mark: markOf(mailbox.id, covered.slice(0, MARK_POSITIONS), floor),
  };
}

const isBefore = (mark: Mark | undefined, one: Position) =>
  mark !== undefined && !isAfterMark(mark, one);

/** All older messages are not considered, and so are covered by the next mark. */
function startOf({ mark, since }: Asked): Position | undefined {
  const time = since && { receivedAt: since, id: NEWEST.id };
  if (!mark || !time) return mark?.start ?? time;
  return comparePositions(mark.start, time) > 0 ? mark.start : time;
}

async function* pages(
  context: Pick<Context, 'now' | 'store'>,
  mailboxId: string,
  start: Position | undefined,
): AsyncGenerator<{ rows: PagedMessage[]; isCut: boolean }> {
  const isBounded = start !== undefined;
  let before: Position = NEWEST;
  for (;;) {
    const rows = await context.store.read(messagePage, {
      mailboxId,
      now: new Date(context.now()),
      since: new Date((start?.receivedAt.getTime() ?? 0) - 1),
      receivedAt: before.receivedAt,
      id: before.id,
      limit: PAGE,
    });
    const isCut = rows.length === PAGE && !isBounded;
    yield { rows: start ? rows.filter((row) => comparePositions(row, start) > 0) : rows, isCut };
    const last = rows.at(-1);
    if (!last || rows.length < PAGE || !isBounded) return;
    before = last;
    await nextTurn();
  }
}

/** Sets which of the messages have a live claim. */
export async function markClaimed(
  { store }: Pick<Context, 'store'>,
  contents: Map<string, Content>,
): Promise<void> {
  for (const { messageId } of await store.ask(liveClaimsAmong, [...contents.keys()])) {
    const content = contents.get(messageId);
    if (content) content.claimed = true;
  }
}

/** Keeps the messages with the fewest failures, of equal ones the newest, which come first. */
function addMiss(
  misses: NearMiss[],
  messageId: string,
  { subject }: Content,
  failed: CriterionName[],
): void {
  const place = misses.findIndex((other) => other.failed.length > failed.length);
  if (place < 0 && misses.length >= MAX_NEAREST) return;
  misses.splice(place < 0 ? misses.length : place, 0, { messageId, subject, failed });
  if (misses.length > MAX_NEAREST) misses.pop();
}
