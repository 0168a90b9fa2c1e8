import { markExpiredDeleted } from '../../db/statements/mailboxes.ts';
import { workspaceDomains } from '../../db/statements/workspaces.ts';
import { query } from '../../db/store.ts';
import type { Context } from '../context.ts';
import { cleanUpDeleted } from '../mailboxes/clean-up-deleted.ts';

const MAILBOXES_A_BATCH = 500;

/**
 * Marks expired mailboxes deleted, reports them and queues their purge; resolves to their number.
 * They are invisible already.
 */
export async function endExpiredMailboxes(context: Context): Promise<number> {
  let total = 0;
  for (;;) {
    const now = new Date(context.now());
    const ended = await context.store.transaction((tx) =>
      query(markExpiredDeleted(tx, now, MAILBOXES_A_BATCH)),
    );
    if (ended.length > 0) {
      const ids = [...new Set(ended.map(({ workspaceId }) => workspaceId))];
      const found = await context.store.query(workspaceDomains, ids);
      const domains = new Map(found.map(({ id, domain }) => [id, domain]));
      await cleanUpDeleted(context, ended, (id) => domains.get(id));
    }
    total += ended.length;
    if (ended.length < MAILBOXES_A_BATCH) return total;
  }
}
