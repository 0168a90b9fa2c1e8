/** Creates mailboxes: one or a batch, of which all are created or none. */
import {
  type EndedMailbox,
  type MailboxRow,
  markMailboxesDeletedById,
} from '../../db/statements/mailboxes.ts';
import { query } from '../../db/store.ts';
import { mailboxAddress } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { newSeed } from '../ids.ts';
import { cleanUpDeleted } from './clean-up-deleted.ts';
import { eventOf } from '../events/event.ts';
import { checkNewMailbox, type NewMailbox } from './properties.ts';
import { type CreatedMailbox, insertMailboxes } from './insert.ts';
import { StaleEntryError, requireRecipientDirectory } from '../directory/recipients.ts';

export type { CreatedMailbox, NewMailbox };

/** Same as {@link createMailboxes} for one mailbox with a requested or a generated name. */
export async function createMailbox(
  context: Context,
  caller: Caller,
  name: string | undefined,
  seed?: string,
): Promise<MailboxRow> {
  const [created] = await createMailboxes(
    context,
    caller,
    [name === undefined ? {} : { name }],
    seed,
  );
  if (!created) throw new RangeError('no mailbox created');
  return created.row;
}

/**
 * Creates the mailboxes, or finds those whose client id exists, in the order asked. Mail for them
 * is accepted once this resolves. One `seed` (a lower-case ULID) never creates two mailboxes.
 * @throws {AppError} `custom_name_requires_pro`, `plan_limit`, `forbidden`, `invalid_name`,
 *   `invalid_labels`, `unprocessable`, `name_taken`, `client_id_taken`, `unauthorized`,
 *   `unavailable`. Nothing is created in these cases.
 */
export async function createMailboxes(
  context: Context,
  caller: Caller,
  asked: NewMailbox[],
  seed = newSeed(context.now()),
): Promise<CreatedMailbox[]> {
  const wanted = asked.map(withStoredClientId);
  // A request whose client id exists gets its mailbox, whatever else it asks for.
  for (const each of wanted)
    if (each.clientId === undefined) checkNewMailbox(context, caller, each);
  await requireRecipientDirectory(context);
  const { created, released } = await insertMailboxes(context, caller, wanted, seed);
  await endReleased(context, caller, released);
  await announce(context, caller, created);
  for (const { row, isNew } of created) {
    if (isNew) context.events.publisher.publish(row.workspaceId, eventOf('mailbox.created', row));
  }
  return created;
}

/** Mailboxes that had expired, and whose names or client ids were taken. */
async function endReleased(context: Context, { workspace }: Caller, released: EndedMailbox[]) {
  if (released.length > 0) await cleanUpDeleted(context, released, () => workspace.domain);
}

/**
 * Adds the addresses to the recipient directory. Also those of mailboxes that existed: the request
 * that creates them may not have added them yet.
 * @throws {AppError} `unavailable`; the new mailboxes are deleted again.
 */
async function announce(
  context: Context,
  caller: Caller,
  created: CreatedMailbox[],
): Promise<void> {
  const { domain } = caller.workspace;
  const added = await Promise.allSettled(
    created.map(({ row }) => context.directory.add(entryOf(row, domain))),
  );
  const failed = added.flatMap((result, n) => {
    const made = created[n];
    return made && result.status === 'rejected'
      ? [{ ...made, error: result.reason as unknown }]
      : [];
  });
  if (failed.length === 0) return;
  const live = await undo(context, caller, failed);
  // A new mailbox that was deleted meanwhile was still created.
  const fatal = failed.find(
    ({ row, isNew, error }) => !isNew || live.has(row.id) || !(error instanceof StaleEntryError),
  );
  if (!fatal) return;
  await undo(context, caller, created);
  throw new AppError(
    'unavailable',
    fatal.error instanceof StaleEntryError
      ? 'The recipient directory still assigns the address to another mailbox. Retry in a minute.'
      : 'The recipient directory is temporarily unavailable. Retry in a few seconds.',
    { cause: fatal.error },
  );
}

/**
 * Undoes the creation of the new ones of these mailboxes, whether or not the caller's token is
 * still valid. Resolves to the ids of those that still existed.
 */
async function undo(
  context: Pick<Context, 'now' | 'directory' | 'store'>,
  { workspace }: Caller,
  created: CreatedMailbox[],
): Promise<Set<string>> {
  const rows = created.flatMap(({ row, isNew }) => (isNew ? [row] : []));
  if (rows.length === 0) return new Set();
  const now = new Date(context.now());
  const ids = rows.map(({ id }) => id);
  // oxlint-disable-next-line mayfly/transaction-of-caller -- works without a caller
  const marked = await context.store.transaction((tx) =>
    query(markMailboxesDeletedById(tx, ids, now)),
  );
  // The command that adds an address may still be executed.
  await Promise.allSettled(
    rows.map((row) => context.directory.remove(entryOf(row, workspace.domain))),
  );
  return new Set(marked.map(({ id }) => id));
}

function entryOf({ id, name, workspaceId, expiresAt }: MailboxRow, domain: string) {
  return {
    address: mailboxAddress(name, domain),
    mailboxId: id,
    workspaceId,
    expiresAt: expiresAt?.getTime() ?? null,
  };
}

/** The databases store no lone surrogate, and PostgreSQL no U+0000. A repeat must find its id. */
function withStoredClientId(wanted: NewMailbox): NewMailbox {
  const { clientId } = wanted;
  if (clientId === undefined) return wanted;
  return { ...wanted, clientId: clientId.toWellFormed().replaceAll('\0', '\uFFFD') };
}
