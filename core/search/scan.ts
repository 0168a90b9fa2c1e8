/**
 * Positions in the order of arrival, and what reads all messages in this order: those of a
 * workspace, or of a few mailboxes. No index has the order over some of the mailboxes.
 */
import {
  type SearchedMailboxes,
  type SomeMailbox,
  mailboxesAmong,
  mailboxesLabeled,
  mailboxesNamed,
  messagesOfMailboxes,
  messagesOfWorkspace,
} from '../../db/statements/search.ts';
import type { MessagePosition, PagedMessage } from '../../db/statements/messages.ts';
import type { Scope } from '../../db/statements/reach.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { type RecipientFilter, messagesTo } from '../messages/recipient-filter.ts';
import type { SearchCandidate } from './load-documents.ts';

/** Successive messages, newest first. */
export interface CandidateBatch {
  rows: SearchCandidate[];
  /** All messages newer than this position have been read; null when none is left. */
  end: MessagePosition | null;
}

/**
 * Reads the next messages before a position that can match a query. The first position is that of
 * the search, each other one the end of the stretch before.
 */
export type CandidateSource = (before: MessagePosition) => Promise<CandidateBatch>;

/** The position before all messages of a time. */
export function startOf(receivedAt: Date): MessagePosition {
  return { receivedAt, id: `msg_${'0'.repeat(26)}` };
}

interface Scan {
  /** Only messages received at this time or later. */
  from: Date;
  /** Messages that a stretch has at most. */
  rowsAtOnce: number;
}

type Reading = Pick<Context, 'store' | 'now'>;

/** More mailboxes are not read one by one, but from all messages of the workspace. */
const MAX_MAILBOXES = 100;
/** Index entries that a statement over a few mailboxes reads at most, twice. */
const MAX_READ = 10_000;
const MAX_AT_ONCE = 500;

/** The searched mailboxes if they are few, and found without reading others; otherwise null. */
export async function fewMailboxes(
  { store }: Pick<Context, 'store'>,
  searched: SearchedMailboxes,
): Promise<SomeMailbox[] | null> {
  const { reach, labels, names } = searched;
  const narrowings: Scope[] = [
    ...names.map((name) => ({ names: [name], labels: [] })),
    ...labels.map((label) => ({ names: [], labels: [label] })),
    ...(reach.scope ? [reach.scope] : []),
  ];
  for (const each of narrowings) {
    const named =
      each.names.length === 0 ? [] : await store.query(mailboxesNamed, reach, each.names);
    const labeled =
      each.labels.length === 0
        ? []
        : await store.query(mailboxesLabeled, reach, each.labels, MAX_MAILBOXES + 1);
    const ids = [...named, ...labeled].map(({ id }) => id);
    if (ids.length <= MAX_MAILBOXES) return store.query(mailboxesAmong, searched, ids);
  }
  return null;
}

/**
 * The messages of a workspace in the searched mailboxes. A statement reads as many entries of the
 * index as a stretch can have, whether or not they are of these mailboxes.
 */
export function scanWorkspace(
  { store }: Pick<Context, 'store'>,
  searched: SearchedMailboxes,
  { from, rowsAtOnce }: Scan,
): CandidateSource {
  return scan(
    (before, limit) => store.query(messagesOfWorkspace, searched, { from, before }, limit),
    ({ name, ...row }) => (name === null ? [] : [toCandidate({ ...row, name })]),
    { first: rowsAtOnce, most: MAX_AT_ONCE },
  );
}

/** The messages of up to 100 mailboxes. */
export function scanMailboxes(
  { store, now }: Reading,
  mailboxes: SomeMailbox[],
  { from, rowsAtOnce }: Scan,
): CandidateSource {
  const ids = mailboxes.map(({ id }) => id);
  const byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]));
  const most = Math.min(rowsAtOnce, Math.ceil(MAX_READ / Math.max(ids.length, 1)));
  return scan(
    (before, limit) => {
      return store.query(messagesOfMailboxes, ids, { from, before, now: new Date(now()) }, limit);
    },
    ({ mailboxId, ...row }) => {
      const mailbox = byId.get(mailboxId);
      return mailbox ? [toCandidate({ ...mailbox, ...row })] : [];
    },
    { first: most, most },
  );
}

/** The messages of a mailbox to a recipient. */
export function scanRecipient(
  context: Reading,
  mailbox: MailboxRow,
  to: RecipientFilter,
  { from, rowsAtOnce }: Scan,
): CandidateSource {
  const since = new Date(from.getTime() - 1);
  return scan(
    ({ receivedAt, id }, limit) => {
      const place = { mailboxId: mailbox.id, now: new Date(context.now()), since };
      return messagesTo(context, to, { ...place, receivedAt, id, limit });
    },
    (row) => [toCandidate({ ...mailbox, ...row })],
    { first: rowsAtOnce, most: rowsAtOnce },
  );
}

/**
 * @param read fewer rows than the limit are the last ones.
 * @param limits of the first stretch, and of those after it, each of which has twice as many.
 */
function scan<Row extends PagedMessage>(
  read: (before: MessagePosition, limit: number) => PromiseLike<Row[]>,
  present: (row: Row) => SearchCandidate[],
  { first, most }: { first: number; most: number },
): CandidateSource {
  let limit = first;
  return async (before) => {
    const rows = await read(before, limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    limit = Math.min(limit * 2, most);
    const end = last ? { receivedAt: last.receivedAt, id: last.id } : null;
    return { rows: rows.flatMap(present), end };
  };
}

export function toCandidate({
  id,
  receivedAt,
  bodyBytes,
  name,
  labels,
}: PagedMessage & Pick<SomeMailbox, 'name' | 'labels'>): SearchCandidate {
  return { id, receivedAt, bodyBytes, mailbox: { name, labels: labels ?? {} } };
}
