/**
 * Reads all messages in the order of arrival: those of a workspace, or of a few mailboxes. No index
 * has the order over some of the mailboxes.
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
import type { PagedMessage } from '../../db/statements/messages.ts';
import type { Scope } from '../../db/statements/reach.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { type RecipientFilter, messagesTo } from '../messages/recipient-filter.ts';
import type { SearchCandidate } from './load-documents.ts';
import type { CandidateSource, CandidateBatch } from './candidate-source.ts';

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
  let limit = rowsAtOnce;
  return async (before) => {
    const rows = await store.query(messagesOfWorkspace, searched, { from, before }, limit);
    const shown = rows.flatMap(({ name, ...row }) => (name === null ? [] : [{ ...row, name }]));
    const stretch = stretchOf(shown.map(toCandidate), rows, limit);
    limit = Math.min(limit * 2, MAX_AT_ONCE);
    return stretch;
  };
}

/** The messages of up to 100 mailboxes. */
export function scanMailboxes(
  { store, now }: Reading,
  mailboxes: SomeMailbox[],
  { from, rowsAtOnce }: Scan,
): CandidateSource {
  const ids = mailboxes.map(({ id }) => id);
  const byId = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]));
  const limit = Math.min(rowsAtOnce, Math.ceil(MAX_READ / Math.max(ids.length, 1)));
  return async (before) => {
    const slice = { from, before, now: new Date(now()) };
    const rows = await store.query(messagesOfMailboxes, ids, slice, limit);
    const shown = rows.flatMap(({ mailboxId, ...row }) => {
      const mailbox = byId.get(mailboxId);
      return mailbox ? [toCandidate({ ...mailbox, ...row })] : [];
    });
    return stretchOf(shown, rows, limit);
  };
}

/** The messages of a mailbox to a recipient. */
export function scanRecipient(
  context: Reading,
  mailbox: MailboxRow,
  to: RecipientFilter,
  { from, rowsAtOnce: limit }: Scan,
): CandidateSource {
  const since = new Date(from.getTime() - 1);
  return async ({ receivedAt, id }) => {
    const now = new Date(context.now());
    const place = { mailboxId: mailbox.id, now, since, receivedAt, id, limit };
    const rows = await messagesTo(context, to, place);
    return stretchOf(
      rows.map((row) => toCandidate({ ...mailbox, ...row })),
      rows,
      limit,
    );
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

/** @param read the rows that the candidates are of; fewer than the limit are the last ones. */
function stretchOf(rows: SearchCandidate[], read: PagedMessage[], limit: number): CandidateBatch {
  const last = read.at(-1);
  if (!last || read.length < limit) return { rows, end: null };
  return { rows, end: { receivedAt: last.receivedAt, id: last.id } };
}
