/**
 * Deletes a workspace and all its data. One transaction revokes its tokens and marks its mailboxes
 * deleted; after its commit tokens get 401. Then the directory is updated, so SMTP replies 550. The
 * remaining rows are invisible and removed in batches. The row of the workspace is removed last, so
 * an interrupted deletion can be repeated.
 */
import {
  anyMailboxOf,
  deletedMailboxesOf,
  markMailboxesDeleted,
} from '../../db/statements/mailboxes.ts';
import { removeNumbers } from '../../db/statements/message-numbers.ts';
import { query } from '../../db/store.ts';
import { markTokensRevoked, removeTokensOf } from '../../db/statements/tokens.ts';
import { webhookIdsOf } from '../../db/statements/webhooks.ts';
import { type WorkspaceRow, removeWorkspace } from '../../db/statements/workspaces.ts';
import { mailboxAddress } from '../addresses.ts';
import type { Context } from '../context.ts';
import { AppError, errorText } from '../errors.ts';
import { requireRecipientDirectory } from '../directory/recipients.ts';
import { purgeDeletedMailbox, purgeDeliveriesTo } from './purge.ts';

/** A mailbox that was being created when its token was revoked can require a second round. */
const ROUNDS = 5;
const ADDRESSES_A_ROUND = 500;
const MAILBOXES_A_READ = 500;

/** Number of live mailboxes and tokens that were deleted. */
export interface DeletedWorkspace {
  mailboxes: number;
  tokens: number;
}

/**
 * @throws {AppError} `unavailable` if Redis or the database is unreachable. Completed steps stay;
 *   the next call continues.
 */
export async function deleteWorkspace(
  context: Context,
  workspace: WorkspaceRow,
): Promise<DeletedWorkspace> {
  const deleted: DeletedWorkspace = { mailboxes: 0, tokens: 0 };
  await requireRecipientDirectory(context);
  for (let round = 0; round < ROUNDS; round += 1) {
    const webhooks = await context.store.query(webhookIdsOf, workspace.id);
    const closed = await revokeAndMark(context, workspace);
    deleted.mailboxes += closed.mailboxes;
    deleted.tokens += closed.tokens;
    await purgeMailboxes(context, workspace.id);
    await purgeDeliveriesTo(
      context,
      webhooks.map(({ id }) => id),
    );
    if (await removeEmpty(context, workspace.id)) {
      await logFailure(context, 'directory', () =>
        context.directory.removeDomain(workspace.domain),
      );
      return deleted;
    }
  }
  throw new AppError(
    'unavailable',
    'Mailboxes or tokens are still being created. Run the command again.',
  );
}

/** Revokes the tokens and marks the mailboxes deleted. */
async function revokeAndMark(context: Context, workspace: WorkspaceRow): Promise<DeletedWorkspace> {
  const now = new Date(context.now());
  const { tokens, mailboxes } = await context.store.transaction(function* (tx) {
    return {
      tokens: yield* query(markTokensRevoked(tx, workspace.id, now)),
      mailboxes: yield* query(markMailboxesDeleted(tx, workspace.id, now)),
    };
  });
  await logFailure(context, 'directory', async () => {
    for (let i = 0; i < mailboxes.length; i += ADDRESSES_A_ROUND) {
      const some = mailboxes.slice(i, i + ADDRESSES_A_ROUND).map(({ id, name }) => ({
        address: mailboxAddress(name, workspace.domain),
        mailboxId: id,
      }));
      await Promise.all(some.map((entry) => context.directory.remove(entry)));
    }
  });
  // Ends the event streams in every process.
  await Promise.all(tokens.map(({ id }) => context.events.hub.revoke(id)));
  if (tokens.length > 0) {
    await logFailure(context, 'sessions', () =>
      context.auth.sessions.deleteAll(tokens.map(({ id }) => id)),
    );
  }
  return { mailboxes: mailboxes.length, tokens: tokens.length };
}

async function purgeMailboxes(context: Context, workspaceId: string): Promise<void> {
  for (;;) {
    const page = await context.store.query(deletedMailboxesOf, workspaceId, MAILBOXES_A_READ);
    for (const { id } of page) await purgeDeletedMailbox(context, id);
    if (page.length < MAILBOXES_A_READ) return;
  }
}

/** Removes the workspace and its tokens, unless it has a mailbox. */
function removeEmpty(context: Pick<Context, 'store'>, workspaceId: string): Promise<boolean> {
  return context.store.transaction(function* (tx) {
    const left = yield* query(anyMailboxOf(tx, workspaceId));
    if (left.length > 0) return false;
    yield* query(removeTokensOf(tx, workspaceId));
    yield* query(removeNumbers(tx, workspaceId));
    yield* query(removeWorkspace(tx, workspaceId));
    return true;
  });
}

/**
 * Logs a failure. The next comparison corrects the directory within a minute, and a session with a
 * revoked token is rejected until it expires.
 */
async function logFailure(
  context: Pick<Context, 'log'>,
  what: string,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    context.log.warn(`${what} not updated after the deletion`, { fault: errorText(error) });
  }
}
