/** Walks the messages of one mailbox or of several. */
import {
  type SearchedMailboxes,
  type Slice,
  messagesWithin,
  newestArrival,
} from '../../db/statements/search.ts';
import { type PagedMessage, type Position, messagePage } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import type { Candidate } from './load-documents.ts';
import { type Stretch, startOf } from './positions.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { type RecipientFilter, messagesTo } from '../messages/recipient-filter.ts';

const FIRST_WIDTH_MS = 10_000;
const MAX_GROWTH = 16;

/** Walks the messages of one mailbox, newest first. */
export async function* walkMailbox(
  context: Pick<Context, 'store' | 'now'>,
  { id: mailboxId, name, labels }: MailboxRow,
  walk: { before: Position; from: Date; to?: RecipientFilter; rowsAtOnce: number },
): AsyncGenerator<Stretch> {
  const { to, from, rowsAtOnce } = walk;
  const since = new Date(from.getTime() - 1);
  const mailbox = { name, labels: labels ?? {} };
  let before = walk.before;
  for (;;) {
    const place = {
      mailboxId,
      now: new Date(context.now()),
      since,
      receivedAt: before.receivedAt,
      id: before.id,
      limit: rowsAtOnce,
    };
    const rows = to
      ? await messagesTo(context, to, place)
      : await context.store.read(messagePage, place);
    const last = rows.at(-1);
    const isLast = last === undefined || rows.length < rowsAtOnce;
    if (last) before = { receivedAt: last.receivedAt, id: last.id };
    yield { rows: rows.map((row) => ({ ...row, mailbox })), end: isLast ? null : before };
    if (isLast) return;
  }
}

/**
 * Walks the messages of several mailboxes, newest first, in slices of arrival time. No index has
 * this order over mailboxes: each statement reads the slice of each mailbox and sorts what it
 * finds. A slice begins at the newest message that is left, so that times without mail cost
 * nothing, and its width follows the number of messages in the slice before.
 * @param bounds the walk starts before a position and ends at a time, inclusive
 */
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
