import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import type { DatabaseConfig } from './config.js';
import { DatabaseUnavailable } from './errors.js';
import { migrateSqlite, openSqlite } from './sqlite/store.js';
import type { Store } from './store.js';

/** The migrations, relative to `dist/db`. They are not compiled. */
const MIGRATIONS = fileURLToPath(new URL('../../db/migrations', import.meta.url));

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

/** Applies pending migrations. Run it in one process, before the others start. */
export async function migrateStore({ database }: { database: DatabaseConfig }): Promise<void> {
  if (database.kind === 'postgres') {
    await (await postgres()).migratePostgres(database, `${MIGRATIONS}/postgres`);
  } else {
    await migrateSqlite(database.path, `${MIGRATIONS}/sqlite`);
  }
}

/** Loaded on demand: SQLite does not need it. */
function postgres() {
  return import('./postgres/store.js');
}
