import { expect } from 'chai';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { indexLag } from '../../../core/search/index-lag.ts';
import { openStore } from '../../../db/open.ts';
import { service } from '../../support/service.ts';

const REMOVED = 3000;
const LEFT = 10;
const COUNTS = 5;

describe('the count of mails that are not indexed, on PostgreSQL', () => {
  const test = service();

  it('reads the entries of indexed mails once, while a snapshot keeps them', async () => {
    const { database } = test.config;
    if (database.kind !== 'postgres') throw new Error('TEST_POSTGRES_URL is not set');
    // The table is so small here that PostgreSQL would read all of it.
    const url = `${database.url}?options=${encodeURIComponent('-c enable_seqscan=off')}`;
    const store = await openStore({ database: { ...database, url, poolSize: 1 } });
    const [holder, writer] = [0, 1].map(() => new pg.Client({ connectionString: database.url }));
    await Promise.all([holder!.connect(), writer!.connect()]);
    try {
      await writer!.query(
        `insert into search_pending (id) select 'mal_' || lpad(n::text, 26, '0')
         from generate_series(1, $1::int) as n`,
        [REMOVED + LEFT],
      );
      await holder!.query('begin isolation level repeatable read');
      await holder!.query('select count(*) from workspaces');
      await writer!.query(
        `delete from search_pending where id <= 'mal_' || lpad($1::text, 26, '0')`,
        [String(REMOVED)],
      );
      const read = async () => {
        await store.query((db) =>
          db.select({ done: sql`pg_stat_force_next_flush()` }).from(db.t.schemaVersions),
        );
        const { rows } = await writer!.query<{ read: string }>(
          `select idx_tup_read as read from pg_stat_user_indexes
           where indexrelname = 'search_pending_pkey'`,
        );
        return Number(rows[0]?.read);
      };
      const before = await read();
      for (let n = 0; n < COUNTS; n += 1) {
        expect(await indexLag({ store })).to.include({ unindexed: LEFT });
      }
      expect((await read()) - before).to.be.within(REMOVED, REMOVED + COUNTS * LEFT);
    } finally {
      await Promise.all([holder!.end(), writer!.end(), store.close()]);
    }
  });
});
