/**
 * Walks the messages of several mailboxes, newest first, in slices of arrival time. No index has
 * this order over mailboxes: each statement reads the slice of each mailbox and sorts what it
 * finds. A slice begins at the newest message that is left, so that times without mail cost
 * nothing, and its width follows the number of messages in the slice before.
 */
import {
  type SearchedMailboxes,
  type Slice,
  messagesWithin,
  newestArrival,
} from '../../db/statements/search.ts';
import type { PagedMessage, Position } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import type { Candidate } from './load-documents.ts';
import { type Stretch, startOf } from './positions.ts';

const FIRST_WIDTH_MS = 10_000;
const MAX_GROWTH = 16;

/** @param bounds the walk starts before a position and ends at a time, inclusive */
export async function* walkMailboxes(
  context: Pick<Context, 'store'>,
  searched: SearchedMailboxes,
  { before: start, from }: { before: Position; from: Date },
  rowsAtOnce: number,
): AsyncGenerator<Stretch> {
  let before = start;
  let width = FIRST_WIDTH_MS;
  for (;;) {
    const [newest] = await context.store.ask(newestArrival, searched, { from, before });
    const newestAt = newest?.receivedAt ?? null;
    if (newestAt === null) {
      yield { rows: [], end: null };
      return;
    }
    const lower = new Date(Math.max(newestAt.getTime() - width, from.getTime()));
    const rows = await readSlice(context, searched, { from: lower, before }, rowsAtOnce);
    const last = rows.at(-1);
    const isCut = last !== undefined && rows.length === rowsAtOnce;
    before = isCut ? { receivedAt: last.receivedAt, id: last.id } : startOf(lower);
    yield { rows, end: before };
    width = isCut ? spanOf(rows) * 2 : grown(width, rows.length, rowsAtOnce);
  }
}

async function readSlice(
  { store }: Pick<Context, 'store'>,
  searched: SearchedMailboxes,
  slice: Slice,
  limit: number,
): Promise<Candidate[]> {
  return (await store.ask(messagesWithin, searched, slice, limit)).map(toCandidate);
}

export function toCandidate({
  name,
  labels,
  ...row
}: PagedMessage & { name: string; labels: Record<string, string> | null }): Candidate {
  return { ...row, mailbox: { name, labels: labels ?? {} } };
}

function spanOf(rows: Candidate[]): number {
  const newest = rows[0]?.receivedAt.getTime() ?? 0;
  const oldest = rows.at(-1)?.receivedAt.getTime() ?? 0;
  return Math.max(1, newest - oldest);
}

/** Aims at half of the rows that a statement returns at most. */
function grown(width: number, count: number, rowsAtOnce: number): number {
  return width * Math.max(1, Math.min(MAX_GROWTH, rowsAtOnce / 2 / Math.max(count, 1)));
}
