import {
  type MailboxPropertyRow,
  type MailboxRow,
  markMailboxDeleted,
  readMailbox,
  selectMailboxes,
  selectProperties,
  mailboxIdsLabelled,
  markLabelledDeleted,
} from '../../db/statements/mailboxes.ts';
import { countMessages } from '../../db/statements/messages.ts';
import type { Label } from '../../db/statements/reach.ts';
import { step } from '../../db/store.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { cleanUpEnded } from './ended.ts';
import { requireDirectory } from '../directory/recipients.ts';

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

/** The mailboxes that the caller can use and that have all labels, newest first, with counts. */
export async function listMailboxes(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  labels: Label[] = [],
): Promise<CountedMailbox[]> {
  const reach = reachOf(context, caller);
  const [mailboxes, properties] = await Promise.all([
    context.store.ask(selectMailboxes, reach, labels),
    context.store.ask(selectProperties, reach, labels),
  ]);
  if (properties.length === 0) return mailboxes;
  const byId = new Map(properties.map((row) => [row.id, row]));
  return mailboxes.map((mailbox) => {
    const own = byId.get(mailbox.id);
    return own ? { ...mailbox, properties: own } : mailbox;
  });
}

/** @throws {AppError} `not_found` if the caller can use no mailbox of this name. */
export async function findMailbox(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  name: string,
): Promise<MailboxRow> {
  return (await lookUpMailbox(context, caller, name)) ?? noSuchMailbox(name);
}

/** Same as {@link findMailbox}, with the number of messages. @throws {AppError} `not_found`. */
export async function findCounted(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  name: string,
): Promise<CountedMailbox> {
  return withCount(context, await findMailbox(context, caller, name));
}

/** The mailbox with its number of messages. */
export async function withCount(
  context: Pick<Context, 'now' | 'store'>,
  row: MailboxRow,
): Promise<CountedMailbox> {
  const place = { mailboxId: row.id, now: new Date(context.now()) };
  const [counted] = await context.store.read(countMessages, place);
  return { ...row, messageCount: counted?.total ?? 0, properties: row };
}

/** The live mailbox of this name that the caller can use, if any. */
export async function lookUpMailbox(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  name: string,
): Promise<MailboxRow | undefined> {
  return readMailbox(context.store, reachOf(context, caller), name.toLowerCase());
}

/**
 * Deletes a mailbox. It stops receiving and disappears at once; a job purges its messages.
 * @throws {AppError} `not_found`, `unauthorized`, `unavailable`.
 */
export async function deleteMailbox(context: Context, caller: Caller, name: string): Promise<void> {
  const reach = reachOf(context, caller);
  await requireDirectory(context);
  const rows = await transactionAs(context, caller, (tx) =>
    step(markMailboxDeleted(tx, reach, name.toLowerCase())),
  );
  if (rows.length === 0) noSuchMailbox(name);
  await cleanUpEnded(context, rows, () => caller.workspace.domain);
}

/**
 * Deletes the mailboxes that have all of these labels, as `deleteMailbox` does. Those created
 * meanwhile are kept. Resolves to their number.
 * @throws {AppError} `unauthorized`, `unavailable`; batches before a failure stay deleted.
 */
export async function deleteLabelled(
  context: Context,
  caller: Caller,
  labels: Label[],
): Promise<number> {
  await requireDirectory(context);
  const found = await context.store.ask(mailboxIdsLabelled, reachOf(context, caller), labels);
  let deleted = 0;
  for (let at = 0; at < found.length; at += BATCH) {
    const ids = found.slice(at, at + BATCH).map(({ id }) => id);
    const ended = await transactionAs(context, caller, (tx) =>
      step(markLabelledDeleted(tx, reachOf(context, caller), ids, labels)),
    );
    deleted += ended.length;
    await cleanUpEnded(context, ended, () => caller.workspace.domain);
  }
  return deleted;
}

/** @throws {AppError} `not_found`. */
export function noSuchMailbox(name: string): never {
  throw noMailbox(name);
}

/** The error `not_found`. */
export function noMailbox(name: string): AppError {
  return new AppError('not_found', `No such mailbox: "${name.slice(0, 64)}".`);
}
