import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseConfig } from './config.ts';
import { DatabaseUnavailable } from './errors.ts';
import { OLDEST_CODE, SCHEMA } from './schema/version.ts';
import { recordSchemaVersion, schemaVersion } from './statements/instance.ts';
import { migrateSqlite, openSqlite } from './sqlite/store.ts';
import type { Store } from './store.ts';

interface Configured {
  readonly database: DatabaseConfig;
}

/**
 * Opens the configured store.
 * @throws {DatabaseUnavailable} if it is unreachable, or has a schema that this code cannot use.
 */
export async function openStore({ database }: Configured): Promise<Store> {
  const store = await openDriver(database);
  try {
    if (!(await store.hasTable('schema_versions'))) throw unfit(undefined);
    await requireFittingSchema(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  const check = async () => {
    await store.check();
    await requireFittingSchema(store);
  };
  return { ...store, check };
}

/**
 * Checks that there is a database with any schema, which migrating would create.
 * @throws {DatabaseUnavailable}
 */
export async function requireDatabase({ database }: Configured): Promise<void> {
  const store = await openDriver(database);
  try {
    if (!(await store.hasTable('workspaces'))) throw unfit(undefined);
  } finally {
    await store.close();
  }
}

/**
 * Applies pending migrations. Run it in one process, before the others start.
 * @param root of the product, which contains `db/migrations`.
 */
export async function migrateStore({ database }: Configured, root: string): Promise<void> {
  const migrations = join(root, 'db/migrations');
  if (database.kind === 'postgres') {
    await (await postgres()).migratePostgres(database, join(migrations, 'postgres'));
  } else {
    await migrateSqlite(database.path, join(migrations, 'sqlite'));
  }
  const store = await openDriver(database);
  try {
    await store.query(recordSchemaVersion, SCHEMA, OLDEST_CODE);
  } finally {
    await store.close();
  }
}

async function openDriver(database: DatabaseConfig): Promise<Store> {
  if (database.kind === 'postgres') return (await postgres()).openPostgres(database);
  if (!existsSync(database.path)) {
    throw new DatabaseUnavailable(`no database at ${database.path}: run npm run migrate`);
  }
  return openSqlite(database);
}

async function requireFittingSchema(store: Store): Promise<void> {
  const [found] = await store.query(schemaVersion);
  if (!found || found.version < SCHEMA || found.oldestCode > SCHEMA) throw unfit(found);
}

function unfit(found: { version: number } | undefined): DatabaseUnavailable {
  if (!found) return new DatabaseUnavailable('the database is not migrated: run npm run migrate');
  const { version } = found;
  return new DatabaseUnavailable(
    version < SCHEMA
      ? `the database has schema ${version}, and this version of Mayfly needs ${SCHEMA}: run npm run migrate`
      : `the database has schema ${version}, and this version of Mayfly knows only ${SCHEMA}: start the version that migrated the database`,
  );
}

/** Loaded on demand: SQLite does not need it. */
function postgres() {
  return import('./postgres/store.ts');
}
