import { mailboxIdsLabelled, markLabelledDeleted } from '../../db/statements/mailboxes.ts';
import type { Label } from '../../db/statements/reach.ts';
import { step } from '../../db/store.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { cleanUpEnded } from './ended.ts';
import { requireDirectory } from '../directory/require-directory.ts';

/** Mailboxes deleted by one transaction. */
const BATCH = 500;

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
