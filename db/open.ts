import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import type { Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import { migrateSqlite, openSqlite } from './sqlite.js';
import type { Store } from './store.js';

/** From `dist/db`, where this runs, to the migrations, which are not compiled. */
const MIGRATIONS = fileURLToPath(new URL('../../db/migrations', import.meta.url));

/** The store the configuration names. @throws {AppError} `unavailable` when it was never migrated. */
export async function openStore(config: Pick<Config, 'databasePath'>): Promise<Store> {
  if (!existsSync(config.databasePath)) {
    throw new AppError('unavailable', `no database at ${config.databasePath}: run npm run migrate`);
  }
  return openSqlite(config.databasePath);
}

/** Applies the migrations that are missing. Run it in one process, before the others start. */
export async function migrateStore(config: Pick<Config, 'databasePath'>): Promise<void> {
  migrateSqlite(config.databasePath, `${MIGRATIONS}/sqlite`);
}
