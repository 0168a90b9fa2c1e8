import { expect } from 'chai';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { searchesOf } from '../../support/context/searches.ts';
import { searchMessages } from '../../../core/search/search.ts';
import { openStore } from '../../../db/open.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

const MAILBOXES = 5000;
const LIMIT = 20;
/** Rows of messages and mailboxes. */
const ROWS_EACH = 3;

describe('the list of all mail on PostgreSQL', () => {
  const test = service();

  it('reads the rows of a page, however many mailboxes there are', async () => {
    const { context, caller } = test;
    const { database } = test.config;
    if (database.kind !== 'postgres') throw new Error('TEST_POSTGRES_URL is not set');
    const watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    // The connection that reads is the one that reports.
    const store = await openStore({ database: { ...database, poolSize: 1 } });
    try {
      await watcher.query(
        `insert into mailboxes (id, workspace_id, name, created_at)
         select 'mbx_' || n, $1, 'box' || n, now() from generate_series(1, $2::int) as n`,
        [caller.workspace.id, MAILBOXES],
      );
      const now = context.now();
      for (let n = 0; n < 3 * LIMIT; n += 1) await storeDirectly(context, `mbx_${n + 1}`, now - n);
      await watcher.query('analyze mailboxes, messages');
      const read = async () => {
        await store.query((db) =>
          db
            .select({ done: sql`pg_stat_force_next_flush()` })
            .from(db.t.workspaces)
            .limit(1),
        );
        const { rows } = await watcher.query<{ read: string }>(
          `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) as read from pg_stat_user_tables
           where relname in ('messages', 'mailboxes')`,
        );
        return Number(rows[0]?.read);
      };
      const before = await read();
      const page = await searchMessages({ ...context, store }, searchesOf(context), caller, {
        query: [],
        limit: LIMIT,
      });
      expect(page.rows).to.have.length(LIMIT);
      expect((await read()) - before).to.be.within(LIMIT, (LIMIT + 1) * ROWS_EACH);
    } finally {
      await Promise.all([watcher.end(), store.close()]);
    }
  });
});
