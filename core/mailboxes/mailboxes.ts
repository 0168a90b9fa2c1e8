import {
  type MailboxPropertyRow,
  type MailboxRow,
  markMailboxDeleted,
  readMailbox,
  type MailboxFilter,
  countMailboxes,
  mailboxPage,
  mailboxIdsLabeled,
  markLabeledDeleted,
} from '../../db/statements/mailboxes.ts';
import { countMessages } from '../../db/statements/messages.ts';
import type { Label } from '../../db/statements/reach.ts';
import { query } from '../../db/store.ts';
import { mailboxNameOf } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { cleanUpDeleted } from './clean-up-deleted.ts';
import { requireRecipientDirectory } from '../directory/recipients.ts';

export { createMailbox } from './create.ts';
export type { MailboxRow };

/** Mailboxes deleted by one transaction. */
const BATCH = 500;

/** A mailbox with its number of unexpired messages. */
export type CountedMailbox = Pick<MailboxRow, 'id' | 'name' | 'createdAt'> & {
  messageCount: number;
  /** Absent if the mailbox has none. */
  properties?: MailboxPropertyRow;
};

/** A place in the list of mailboxes, newest first. */
export type MailboxPosition = Pick<MailboxRow, 'createdAt' | 'id'>;

export interface MailboxesRequest extends Partial<MailboxFilter> {
  /** Only mailboxes after this one. */
  after?: MailboxPosition;
}

/** Mailboxes of one statement: with their counts it takes 3 ms. */
const PAGE = 500;

/**
 * A page of the mailboxes that the caller can use, that have all labels and whose names have the
 * prefix, newest first, with counts.
 */
export async function listMailboxes(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  { after, limit, ...filter }: MailboxesRequest & { limit: number },
): Promise<{ mailboxes: CountedMailbox[]; next: MailboxPosition | null }> {
  const reach = reachOf(context, caller);
  const place = { ...(after && { after }), limit: limit + 1 };
  const rows = await context.store.query(mailboxPage, reach, filterOf(filter), place);
  const shown = rows.slice(0, limit);
  const mailboxes = shown.map(({ id, name, createdAt, messageCount, ...properties }) => {
    return { id, name, createdAt, messageCount, properties: { id, ...properties } };
  });
  return { mailboxes, next: (rows.length > limit && shown.at(-1)) || null };
}

/** All mailboxes of a request, page by page. */
export async function* allMailboxes(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  request: MailboxesRequest,
): AsyncGenerator<CountedMailbox[], void> {
  let after = request.after;
  do {
    const page = await listMailboxes(context, caller, {
      ...request,
      ...(after && { after }),
      limit: PAGE,
    });
    yield page.mailboxes;
    after = page.next ?? undefined;
  } while (after);
}

/** The number of mailboxes of a request. */
export async function countListed(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  filter: Partial<MailboxFilter>,
): Promise<number> {
  const reach = reachOf(context, caller);
  const [counted] = await context.store.query(countMailboxes, reach, filterOf(filter));
  return counted?.count ?? 0;
}

/** Names are in lower case, without blanks; PostgreSQL takes no text with U+0000. */
function filterOf({ labels = [], prefix = '' }: Partial<MailboxFilter>): MailboxFilter {
  return { labels, prefix: prefix.toLowerCase().replaceAll('\0', ' ') };
}

/** @throws {AppError} `not_found` if the caller can use no mailbox of this name or address. */
export async function requireMailbox(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  name: string,
): Promise<MailboxRow> {
  return (await findMailbox(context, caller, name)) ?? throwMailboxNotFound(name);
}

/** Same as {@link requireMailbox}, with the number of messages. @throws {AppError} `not_found`. */
export async function requireCountedMailbox(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  name: string,
): Promise<CountedMailbox> {
  return withCount(context, await requireMailbox(context, caller, name));
}

/** The mailbox with its number of messages. */
export async function withCount(
  context: Pick<Context, 'now' | 'store'>,
  row: MailboxRow,
): Promise<CountedMailbox> {
  const place = { mailboxId: row.id, now: new Date(context.now()) };
  const [counted] = await context.store.execute(countMessages, place);
  return { ...row, messageCount: counted?.total ?? 0, properties: row };
}

/**
 * The live mailbox that the caller can use, if any.
 * @param name or address, see {@link mailboxNameOf}
 */
export async function findMailbox(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  name: string,
): Promise<MailboxRow | undefined> {
  const { domain } = caller.workspace;
  return readMailbox(context.store, reachOf(context, caller), mailboxNameOf(name, domain));
}

/**
 * Deletes a mailbox. It stops receiving and disappears at once; a job purges its messages.
 * @param named its name or address
 * @returns its name
 * @throws {AppError} `not_found`, `unauthorized`, `unavailable`.
 */
export async function deleteMailbox(
  context: Context,
  caller: Caller,
  named: string,
): Promise<string> {
  const name = mailboxNameOf(named, caller.workspace.domain);
  const reach = reachOf(context, caller);
  await requireRecipientDirectory(context);
  const rows = await transactionAs(context, caller, (tx) =>
    query(markMailboxDeleted(tx, reach, name)),
  );
  if (rows.length === 0) throwMailboxNotFound(named);
  await cleanUpDeleted(context, rows, () => caller.workspace.domain);
  return name;
}

/**
 * Deletes the mailboxes that have all of these labels, as `deleteMailbox` does. Those created
 * meanwhile are kept. Resolves to their number.
 * @throws {AppError} `unauthorized`, `unavailable`; batches before a failure stay deleted.
 */
export async function deleteLabeled(
  context: Context,
  caller: Caller,
  labels: Label[],
): Promise<number> {
  await requireRecipientDirectory(context);
  const found = await context.store.query(mailboxIdsLabeled, reachOf(context, caller), labels);
  let deleted = 0;
  for (let at = 0; at < found.length; at += BATCH) {
    const ids = found.slice(at, at + BATCH).map(({ id }) => id);
    const ended = await transactionAs(context, caller, (tx) =>
      query(markLabeledDeleted(tx, reachOf(context, caller), ids, labels)),
    );
    deleted += ended.length;
    await cleanUpDeleted(context, ended, () => caller.workspace.domain);
  }
  return deleted;
}

/** @throws {AppError} `not_found`. */
export function throwMailboxNotFound(name: string): never {
  throw mailboxNotFound(name);
}

/** The error `not_found`. */
export function mailboxNotFound(name: string): AppError {
  return new AppError('not_found', `No such mailbox: "${name.slice(0, 64)}".`);
}
