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
import type { Contents } from './contents.ts';
import { type Criterion, type CriterionName, failedCriteria } from './criteria.ts';

const PAGE = 1000;
const MAX_NEAREST = 5;

export interface Asked {
  criteria: Criterion[];
  /** Only messages with a greater number. */
  after?: number;
  /** Only messages received after this time. */
  since?: Date;
  /** Number of messages to return at most. */
  count: number;
  /** Which messages are returned, and their order: that of their numbers, or the opposite. */
  order: 'oldest' | 'newest';
}

/** A message that does not match, and why. */
export interface NearMiss {
  messageId: string;
  subject: string;
  failed: CriterionName[];
}

interface Miss extends NearMiss {
  number: number;
}

export interface Found {
  matches: NumberedMessage[];
  unmatched: { count: number; nearest: NearMiss[] };
  /** The last number that was considered. */
  upTo: number;
  /** The number to continue at: with `order` oldest, that of the last match. */
  next: number;
}

/**
 * Without a number and a time, the newest 1,000 messages are considered. Messages that are
 * committed after the call are not.
 */
export async function look(
  context: Pick<Context, 'now' | 'store'>,
  contents: Contents,
  mailbox: MailboxRow,
  asked: Asked,
): Promise<Found> {
  const { criteria, count, order } = asked;
  const upTo = await lastNumberIn(context, mailbox);
  const fitting: NumberedMessage[] = [];
  const misses: Miss[] = [];
  let missed = 0;
  for await (const rows of pages(context, mailbox.id, asked, upTo)) {
    if (criteria.length === 0) {
      for (const row of rows) fitting.push(row);
      continue;
    }
    const content = await contents.of(mailbox, rows, criteria);
    for (const row of rows) {
      const each = content.get(row.id);
      if (!each) continue;
      const failed = failedCriteria(criteria, each);
      if (failed.length === 0) fitting.push(row);
      else {
        missed += 1;
        addMiss(misses, { messageId: row.id, subject: each.subject, failed, number: row.number });
      }
    }
  }
  fitting.sort((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1));
  if (order === 'newest') fitting.reverse();
  const matches = fitting.slice(0, count);
  const last = order === 'oldest' ? matches.at(-1) : undefined;
  return {
    matches,
    unmatched: {
      count: missed,
      nearest: misses.map(({ messageId, subject, failed }) => ({ messageId, subject, failed })),
    },
    upTo,
    next: last ? last.number : upTo,
  };
}

async function* pages(
  context: Pick<Context, 'now' | 'store'>,
  mailboxId: string,
  { after, since }: Asked,
  upTo: number,
): AsyncGenerator<NumberedMessage[]> {
  const isBounded = after !== undefined || since !== undefined;
  let last: { number: number; receivedAt: Date; id: string } = { ...NEWEST, number: after ?? 0 };
  for (;;) {
    const { number, receivedAt, id } = last;
    const now = new Date(context.now());
    const place = { mailboxId, now, since: since ?? new Date(-1), id, upTo, limit: PAGE };
    const rows =
      after === undefined
        ? await context.store.read(numberedPage, { ...place, receivedAt })
        : await context.store.read(messagesByNumber, { ...place, number });
    yield rows;
    const end = rows.at(-1);
    if (!end || rows.length < PAGE || !isBounded) return;
    last = end;
    await nextTurn();
  }
}

/** Keeps the messages with the fewest failures, and of equal ones the newest. */
function addMiss(misses: Miss[], miss: Miss): void {
  const place = misses.findIndex(
    ({ failed, number }) =>
      failed.length > miss.failed.length ||
      (failed.length === miss.failed.length && number < miss.number),
  );
  if (place < 0 && misses.length >= MAX_NEAREST) return;
  misses.splice(place < 0 ? misses.length : place, 0, miss);
  if (misses.length > MAX_NEAREST) misses.pop();
}
