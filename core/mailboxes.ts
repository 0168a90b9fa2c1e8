import {
  type MailboxRow,
  countLiveMailboxes,
  insertMailbox,
  mailboxById,
  listMailboxes as selectMailboxes,
  mailboxByName,
  markMailboxDeleted,
} from '../db/mailboxes.js';
import { type Body, type Db, step } from '../db/store.js';
import type { WorkspaceRow } from '../db/workspaces.js';
import { purgeMailbox } from '../jobs/purge-mailbox.js';
import { mailboxAddress, slugFault } from './addresses.js';
import { changeAs } from './change-as.js';
import type { Context } from './context.js';
import { AppError, errorText } from './errors.js';
import { mailboxIdFrom, newSeed } from './ids.js';
import { allowsCustomNames, mailboxLimit, planNames } from './plans.js';
import { generateSlug } from './slugs.js';
import type { Caller } from './tokens.js';

/** A mailbox as the interface shows it. */
export interface Mailbox {
  id: string;
  name: string;
  address: string;
  messageCount: number;
  createdAt: Date;
}

/**
 * Makes a mailbox, under the wanted name or a generated one. Mail for it is accepted once this resolves.
 * One `seed` (a lower-case ULID) never makes two.
 * @throws {AppError} `custom_name_requires_pro`, `plan_limit`, `invalid_name`, `name_taken`,
 * `unauthorized`, `unavailable`.
 */
export async function createMailbox(
  context: Context,
  caller: Caller,
  wantedName: string | undefined,
  seed = newSeed(context.now()),
): Promise<Mailbox> {
  const { workspace } = caller;
  if (wantedName !== undefined) checkName(workspace, wantedName.toLowerCase());
  await requireDirectory(context);
  const row = await insert(context, caller, wantedName?.toLowerCase(), mailboxIdFrom(seed));
  const entry = { address: mailboxAddress(row.name, workspace.domain), mailboxId: row.id };
  try {
    await context.directory.add(entry);
  } catch (error) {
    await undo(context, row);
    throw new AppError('unavailable', 'The recipient directory cannot be reached.', {
      cause: error,
    });
  }
  tell(context, 'mailbox.created', row);
  return present(row, workspace, 0);
}

/** The workspace's mailboxes, newest first, with live message counts. */
export async function listMailboxes(context: Context, workspace: WorkspaceRow): Promise<Mailbox[]> {
  const rows = await context.store.ask(selectMailboxes, workspace.id, new Date(context.now()));
  return rows.map(({ messageCount, ...row }) => present(row, workspace, messageCount));
}

/** @throws {AppError} `not_found` when the workspace has no mailbox of this name. */
export async function findMailbox(
  context: Context,
  workspace: WorkspaceRow,
  name: string,
): Promise<MailboxRow> {
  return (await lookUpMailbox(context, workspace, name)) ?? missing(name);
}

/** The workspace's live mailbox of this name, if there is one. */
export async function lookUpMailbox(
  context: Context,
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
 * Deletes a mailbox: from here on it receives nothing and shows nothing; its messages are purged by a job.
 * @throws {AppError} `not_found`, `unauthorized`, `unavailable`.
 */
export async function deleteMailbox(context: Context, caller: Caller, name: string): Promise<void> {
  const { workspace } = caller;
  const now = new Date(context.now());
  await requireDirectory(context);
  const [row] = await changeAs(context, caller, (tx) =>
    step(markMailboxDeleted(tx, workspace.id, name.toLowerCase(), now)),
  );
  if (!row) missing(name);
  tell(context, 'mailbox.deleted', row);
  try {
    await context.directory.remove({
      address: mailboxAddress(row.name, workspace.domain),
      mailboxId: row.id,
    });
    await context.queues.enqueue(purgeMailbox, { mailboxId: row.id }, row.id);
  } catch (error) {
    // Deleted it is: the minutely comparison and the expiry job finish what could not be told now.
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
 * Inserts under the limit of the plan, or finds what an earlier run of the request has inserted. A generated name
 * that is taken is drawn again, and so is the id where what bore it was taken back or deleted.
 */
async function insert(
  context: Context,
  caller: Caller,
  name: string | undefined,
  id: string,
): Promise<MailboxRow> {
  const { workspace } = caller;
  const limit = mailboxLimit(context.config, workspace.plan);
  const createdAt = new Date(context.now());
  const row = await changeAs(context, caller, function* (tx) {
    if (limit !== null) {
      const [earlier] = yield* step(mailboxById(tx, workspace.id, id));
      if (earlier) return earlier;
      yield* requireRoom(tx, workspace, limit);
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

/** Not asked where nothing is limited: on PostgreSQL whoever looks gets in the way of whoever creates. */
function* requireRoom(tx: Db, workspace: WorkspaceRow, limit: number): Body<void> {
  const [live] = yield* step(countLiveMailboxes(tx, workspace.id));
  if ((live?.count ?? 0) < limit) return;
  throw new AppError(
    'plan_limit',
    `The ${planNames[workspace.plan]} plan allows ${limit} mailboxes, and this workspace has them all.`,
    { details: { plan: workspace.plan, limit } },
  );
}

/** Takes back what no answer was given for, whether or not the caller may still change anything. */
async function undo(context: Context, { workspaceId, name }: MailboxRow): Promise<void> {
  const now = new Date(context.now());
  // eslint-disable-next-line no-restricted-syntax -- not in the caller's name
  await context.store.transaction((tx) => step(markMailboxDeleted(tx, workspaceId, name, now)));
}

/** Nothing is changed while the directory cannot follow. */
async function requireDirectory(context: Context): Promise<void> {
  try {
    await context.directory.isComplete();
  } catch (error) {
    throw new AppError('unavailable', 'The recipient directory cannot be reached.', {
      cause: error,
    });
  }
}

function tell(
  { events }: Context,
  type: 'mailbox.created' | 'mailbox.deleted',
  { id, name, workspaceId }: MailboxRow,
): void {
  events.publish(workspaceId, { type, mailbox: name, mailboxId: id });
}

function present(
  row: Pick<MailboxRow, 'id' | 'name' | 'createdAt'>,
  workspace: WorkspaceRow,
  messageCount: number,
): Mailbox {
  return {
    id: row.id,
    name: row.name,
    address: mailboxAddress(row.name, workspace.domain),
    messageCount,
    createdAt: row.createdAt,
  };
}

function missing(name: string): never {
  throw new AppError('not_found', `There is no mailbox named "${name.slice(0, 64)}".`);
}
