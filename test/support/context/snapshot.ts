import { sql } from 'drizzle-orm';
import pg from 'pg';
import { openStore } from '../../../db/open.ts';
import type { Store } from '../../../db/store.ts';
import type { TestContext } from './context.ts';

export interface BesideSnapshot {
  /** A store with one connection, which prefers indexes: the tables of a test are small. */
  store: Store;
  /** Runs a statement beside the store. */
  write: (text: string, values?: unknown[]) => Promise<unknown>;
  /** Opens the snapshot: entries that are removed from now on stay in every index. */
  hold: () => Promise<void>;
  /** Entries that were read from the index so far. */
  entriesRead: () => Promise<number>;
}

/**
 * Runs `use` with a store of PostgreSQL and a transaction that can keep what is removed.
 * @param index name of the index whose read entries are counted.
 */
export async function besideSnapshot(
  { config: { database } }: Pick<TestContext, 'config'>,
  index: string,
  use: (beside: BesideSnapshot) => Promise<void>,
): Promise<void> {
  if (database.kind !== 'postgres') throw new Error('TEST_POSTGRES_URL is not set');
  const url = `${database.url}?options=${encodeURIComponent('-c enable_seqscan=off')}`;
  const store = await openStore({ database: { ...database, url, poolSize: 1 } });
  const holder = new pg.Client({ connectionString: database.url });
  const writer = new pg.Client({ connectionString: database.url });
  await Promise.all([holder.connect(), writer.connect()]);
  try {
    await use({
      store,
      write: (text, values) => writer.query(text, values),
      async hold() {
        await holder.query('begin isolation level repeatable read');
        await holder.query('select count(*) from workspaces');
      },
      async entriesRead() {
        await store.query((db) =>
          db.select({ done: sql`pg_stat_force_next_flush()` }).from(db.t.schemaVersions),
        );
        const { rows } = await writer.query<{ read: string }>(
          'select idx_tup_read as read from pg_stat_user_indexes where indexrelname = $1',
          [index],
        );
        return Number(rows[0]?.read);
      },
    });
  } finally {
    await Promise.all([holder.end(), writer.end(), store.close()]);
  }
}
