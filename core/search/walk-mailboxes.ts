/**
 * Walks the messages of several mailboxes, newest first, in slices of arrival time. No index has this
 * order over mailboxes: each statement reads the slice of each mailbox and sorts what it finds. The
 * width of a slice therefore follows the number of messages in the slice before.
 */
import { type SearchedMailboxes, type Slice, messagesWithin } from '../../db/statements/search.js';
import type { PagedMessage, Position } from '../../db/statements/messages.js';
import type { Context } from '../context.js';
import type { Candidate } from './load-documents.js';
import { type Stretch, startOf } from './positions.js';

const FIRST_WIDTH_MS = 10_000;
const MAX_GROWTH = 64;
/** A wider slice takes everything that is left. */
const MAX_WIDTH_MS = 100 * 86_400_000;

/** @param bounds the walk starts before a position and ends at a time, inclusive */
export async function* walkMailboxes(
  context: Pick<Context, 'store' | 'now'>,
  searched: SearchedMailboxes,
  { before: start, from }: { before: Position; from: Date },
  rowsAtOnce: number,
): AsyncGenerator<Stretch> {
  let before = start;
  let width = FIRST_WIDTH_MS;
  for (;;) {
    const slice = { from: lowerBound(before, context.now(), width, from), before };
    const rows = await readSlice(context, searched, slice, rowsAtOnce);
    const last = rows.at(-1);
    const isCut = last !== undefined && rows.length === rowsAtOnce;
    const isLast = !isCut && slice.from <= from;
    before = isCut ? { receivedAt: last.receivedAt, id: last.id } : startOf(slice.from);
    yield { rows, end: isLast ? null : before };
    if (isLast) return;
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

function lowerBound({ receivedAt }: Position, nowMs: number, width: number, from: Date): Date {
  if (width > MAX_WIDTH_MS) return from;
  const upper = Math.min(receivedAt.getTime(), nowMs);
  return new Date(Math.max(upper - width, from.getTime()));
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
