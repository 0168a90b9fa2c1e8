import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseConfig } from './config.ts';
import { DatabaseUnavailable } from './errors.ts';
import { migrateSqlite, openSqlite } from './sqlite/store.ts';
import type { Store } from './store.ts';

/**
 * Opens the configured store. @throws {DatabaseUnavailable} if it is unreachable or not migrated.
 */
export async function openStore({ database }: { database: DatabaseConfig }): Promise<Store> {
  if (database.kind === 'postgres') return (await postgres()).openPostgres(database);
  if (!existsSync(database.path)) {
    throw new DatabaseUnavailable(`no database at ${database.path}: run npm run migrate`);
  }
  return openSqlite(database);
}

/**
 * Applies pending migrations. Run it in one process, before the others start.
 * @param root of the product, which contains `db/migrations`.
 */
export async function migrateStore(
  { database }: { database: DatabaseConfig },
  root: string,
): Promise<void> {
  const migrations = join(root, 'db/migrations');
  if (database.kind === 'postgres') {
    await (await postgres()).migratePostgres(database, join(migrations, 'postgres'));
  } else {
    await migrateSqlite(database.path, join(migrations, 'sqlite'));
  }
}

/** Loaded on demand: SQLite does not need it. */
function postgres() {
  return import('./postgres/store.ts');
}
