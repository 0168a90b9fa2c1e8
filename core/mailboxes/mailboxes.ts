import {
  type MailboxRow,
  countLiveMailboxes,
  insertMailbox,
  mailboxById,
  selectMailboxes,
  mailboxByName,
  markMailboxDeleted,
  markMailboxDeletedById,
} from '../../db/statements/mailboxes.js';
import { type Body, type Db, step } from '../../db/store.js';
import type { WorkspaceRow } from '../../db/statements/workspaces.js';
import { purgeMailboxJob } from './purge-job.js';
import { mailboxAddress, slugFault } from '../addresses.js';
import { transactionAs } from '../auth/transaction-as.js';
import type { Context } from '../context.js';
import { type DirectoryEntry, StaleEntryError } from './recipient-directory.js';
import { AppError, errorText } from '../errors.js';
import { mailboxIdFrom, newSeed } from '../ids.js';
import { requireDirectory } from './require-directory.js';
import { allowsCustomNames, mailboxLimit, planNames } from '../workspaces/workspaces.js';
import { generateSlug } from './slugs.js';
import type { Caller } from '../auth/caller.js';

export type { MailboxRow };

/** A mailbox and the number of messages that it shows. */
export type CountedMailbox = Pick<MailboxRow, 'id' | 'name' | 'createdAt'> & {
  messageCount: number;
};

/**
 * Creates a mailbox under the wanted name or a generated one. Mail for it is accepted once this resolves. One `seed`
 * (a lower-case ULID) never creates two mailboxes.
 * @throws {AppError} `custom_name_requires_pro`, `plan_limit`, `invalid_name`, `name_taken`,
 * `unauthorized`, `unavailable`.
 */
export async function createMailbox(
  context: Context,
  caller: Caller,
  wantedName: string | undefined,
  seed = newSeed(context.now()),
): Promise<MailboxRow> {
  const { workspace } = caller;
  if (wantedName !== undefined) checkName(workspace, wantedName.toLowerCase());
  await requireDirectory(context);
  const row = await insert(context, caller, wantedName?.toLowerCase(), mailboxIdFrom(seed));
  const entry = { address: mailboxAddress(row.name, workspace.domain), mailboxId: row.id };
  try {
    await context.directory.add(entry);
  } catch (error) {
    const wasLive = await undoCreation(context, entry);
    // A mailbox that has been deleted since was still created.
    if (wasLive || !(error instanceof StaleEntryError)) {
      const text =
        error instanceof StaleEntryError
          ? 'The address still belongs to another mailbox in the recipient directory. Try again in a minute.'
          : 'The recipient directory cannot be reached.';
      throw new AppError('unavailable', text, { cause: error });
    }
  }
  publish(context, 'mailbox.created', row);
  return row;
}

/** The workspace's mailboxes, newest first, with live message counts. */
export async function listMailboxes(
  context: Pick<Context, 'now' | 'store'>,
  workspace: WorkspaceRow,
): Promise<CountedMailbox[]> {
  return context.store.ask(selectMailboxes, workspace.id, new Date(context.now()));
}

/** @throws {AppError} `not_found` when the workspace has no mailbox of this name. */
export async function findMailbox(
  context: Pick<Context, 'store'>,
  workspace: WorkspaceRow,
  name: string,
): Promise<MailboxRow> {
  return (await lookUpMailbox(context, workspace, name)) ?? missing(name);
}

/** The workspace's live mailbox of this name, if there is one. */
export async function lookUpMailbox(
  context: Pick<Context, 'store'>,
  workspace: WorkspaceRow,
  name: string,
): Promise<MailboxRow | undefined> {
  const [row] = await context.store.read(mailboxByName, {
    workspaceId: workspace.id,
    name: name.toLowerCase(),
  });
  return row;
}

/**
 * Deletes a mailbox. It receives and shows nothing from then on; a job purges its messages.
 * @throws {AppError} `not_found`, `unauthorized`, `unavailable`.
 */
export async function deleteMailbox(context: Context, caller: Caller, name: string): Promise<void> {
  const { workspace } = caller;
  const now = new Date(context.now());
  await requireDirectory(context);
  const [row] = await transactionAs(context, caller, (tx) =>
    step(markMailboxDeleted(tx, workspace.id, name.toLowerCase(), now)),
  );
  if (!row) missing(name);
  publish(context, 'mailbox.deleted', row);
  try {
    await context.directory.remove({
      address: mailboxAddress(row.name, workspace.domain),
      mailboxId: row.id,
    });
    await context.queues.enqueue(purgeMailboxJob, { mailboxId: row.id }, row.id);
  } catch (error) {
    // The mailbox is deleted: the reconciliation of Redis and the expiry job finish the rest.
    context.log.warn('deleted mailbox awaits repair', {
      mailboxId: row.id,
      fault: errorText(error),
    });
  }
}

function checkName(workspace: WorkspaceRow, name: string): void {
  if (!allowsCustomNames(workspace.plan)) {
    throw new AppError(
      'custom_name_requires_pro',
      `A custom mailbox name requires the Pro plan; this workspace is on ${planNames[workspace.plan]}. Leave "name" out to get a generated one.`,
    );
  }
  const fault = slugFault(name);
  if (fault) throw new AppError('invalid_name', fault);
}

/**
 * Inserts within the limit of the plan, or finds the mailbox that an earlier run of the request has inserted. A
 * generated name that is taken is generated again, and so is the id of a mailbox that was undone or deleted.
 */
async function insert(
  context: Pick<Context, 'config' | 'now' | 'store'>,
  caller: Caller,
  name: string | undefined,
  id: string,
): Promise<MailboxRow> {
  const { workspace } = caller;
  const limit = mailboxLimit(context.config, workspace.plan);
  const createdAt = new Date(context.now());
  const row = await transactionAs(context, caller, function* (tx) {
    if (limit !== null) {
      const [earlier] = yield* step(mailboxById(tx, workspace.id, id));
      if (earlier) return earlier;
      yield* requireBelowLimit(tx, workspace, limit);
    }
    const [inserted] = yield* step(
      insertMailbox(tx, {
        id,
        workspaceId: workspace.id,
        name: name ?? generateSlug(),
        createdAt,
        deletedAt: null,
      }),
    );
    if (inserted) return inserted;
    const [earlier] = yield* step(mailboxById(tx, workspace.id, id));
    return earlier;
  });
  if (row?.deletedAt === null) return row;
  if (row) return insert(context, caller, name, mailboxIdFrom(newSeed(context.now())));
  if (name === undefined) return insert(context, caller, name, id);
  throw new AppError('name_taken', `A mailbox named "${name}" exists already.`);
}

/** Skipped without a limit: on PostgreSQL the count conflicts with concurrent inserts. */
function* requireBelowLimit(tx: Db, workspace: WorkspaceRow, limit: number): Body<void> {
  const [live] = yield* step(countLiveMailboxes(tx, workspace.id));
  if ((live?.count ?? 0) < limit) return;
  throw new AppError(
    'plan_limit',
    `The ${planNames[workspace.plan]} plan allows ${limit} mailboxes, and this workspace has them all.`,
    { details: { plan: workspace.plan, limit } },
  );
}

/**
 * Undoes a creation that fails, whether or not the caller's token is still valid. Resolves to whether the mailbox still
 * existed.
 */
async function undoCreation(
  context: Pick<Context, 'now' | 'directory' | 'store'>,
  entry: DirectoryEntry,
): Promise<boolean> {
  const now = new Date(context.now());
  // eslint-disable-next-line no-restricted-syntax -- not in the caller's name
  const [row] = await context.store.transaction((tx) =>
    step(markMailboxDeletedById(tx, entry.mailboxId, now)),
  );
  // The command that adds the address may still be executed.
  await context.directory.remove(entry).catch(() => undefined);
  return row !== undefined;
}

function publish(
  { events }: Pick<Context, 'events'>,
  type: 'mailbox.created' | 'mailbox.deleted',
  { id, name, workspaceId }: MailboxRow,
): void {
  events.publisher.publish(workspaceId, { type, mailbox: name, mailboxId: id });
}

function missing(name: string): never {
  throw new AppError('not_found', `There is no mailbox named "${name.slice(0, 64)}".`);
}
