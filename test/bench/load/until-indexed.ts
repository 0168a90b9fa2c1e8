import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseConfig } from '../../../db/config.ts';
import { openStore } from '../../../db/open.ts';
import { countUnindexed } from '../../../db/statements/search.ts';

const POLL_MS = 500;

/**
 * Waits until the search index contains all stored mail: indexing takes a share of the processor
 * and of the database.
 * @param stored the number of stored mails
 * @returns the number of mails that were not indexed at first
 */
export async function untilIndexed(database: DatabaseConfig, stored: number): Promise<number> {
  const store = await openStore({ database });
  try {
    const unindexed = async () => (await store.ask(countUnindexed, stored + 1))[0]?.count ?? 0;
    const first = await unindexed();
    while ((await unindexed()) > 0) await delay(POLL_MS);
    if (database.kind === 'postgres') await analyze(database.url);
    return first;
  } finally {
    await store.close();
  }
}

/** PostgreSQL analyzes large changes by itself, but only within a minute. */
async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('analyze');
  await client.end();
}
