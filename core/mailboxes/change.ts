/** Changes properties of a mailbox. */
import {
  type MailboxRow,
  mailboxesById,
  removeLabelsOf,
  updateMailbox,
} from '../../db/statements/mailboxes.ts';
import { insertIgnoring, query } from '../../db/store.ts';
import { mailboxAddress } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { labelRows } from './labels.ts';
import { type CountedMailbox, requireCountedMailbox, throwMailboxNotFound } from './mailboxes.ts';
import { type MailboxProperties, columnsOf } from './properties.ts';
import { requireRecipientDirectory } from '../directory/recipients.ts';

/**
 * Changes a mailbox. Labels replace all labels. A new lifetime counts from now, and SMTP observes
 * it once this resolves.
 * @throws {AppError} `not_found`, `invalid_labels`, `unprocessable`, `unauthorized`, `unavailable`.
 */
export async function changeMailbox(
  context: Context,
  caller: Caller,
  name: string,
  change: MailboxProperties,
): Promise<CountedMailbox> {
  const reach = reachOf(context, caller);
  const columns = columnsOf(context.config, change, reach.now);
  const before = await requireCountedMailbox(context, caller, name);
  if (Object.keys(columns).length === 0) return before;
  if (columns.expiresAt !== undefined) await requireRecipientDirectory(context);
  const row = await transactionAs(context, caller, function* (tx) {
    const [changed] = yield* query(updateMailbox(tx, reach, before.name, columns));
    if (changed && columns.labels !== undefined) {
      yield* query(removeLabelsOf(tx, changed.id));
      yield* insertIgnoring(tx.t.mailboxLabels, labelRows(changed));
    }
    return changed;
  });
  if (!row) return throwMailboxNotFound(name);
  if (columns.expiresAt !== undefined) await publishExpiry(context, caller, row);
  return { ...row, messageCount: before.messageCount, properties: row };
}

/**
 * Writes the expiry to the recipient directory until it is that of the row: another change can
 * commit and write in between.
 */
async function publishExpiry(context: Context, { workspace }: Caller, row: MailboxRow) {
  const address = mailboxAddress(row.name, workspace.domain);
  try {
    for (let current: MailboxRow | undefined = row; current;) {
      const expiresAt: number | null = current.expiresAt?.getTime() ?? null;
      const entry = { address, mailboxId: row.id, workspaceId: workspace.id, expiresAt };
      await context.directory.setExpiry(entry);
      const [after]: MailboxRow[] = await context.store.query(mailboxesById, workspace.id, [
        row.id,
      ]);
      current = after && (after.expiresAt?.getTime() ?? null) !== expiresAt ? after : undefined;
    }
  } catch (cause) {
    throw new AppError(
      'unavailable',
      'The recipient directory is temporarily unavailable. Retry in a few seconds.',
      { cause },
    );
  }
}
