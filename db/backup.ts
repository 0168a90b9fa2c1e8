import { join } from 'node:path';
import type { DatabaseConfig } from './config.ts';
import { backUpSqlite } from './sqlite/backup.ts';

/**
 * Copies the database to a file in the folder while it is used, in its state of one moment.
 * @param env of the programs that this runs
 * @returns the name of the file
 * @throws {DatabaseUnavailable} if it cannot be read.
 */
export async function backUpDatabase(
  database: DatabaseConfig,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  if (database.kind === 'sqlite') {
    await backUpSqlite(database.path, join(folder, 'mayfly.sqlite'));
    return 'mayfly.sqlite';
  }
  // Loaded on demand: SQLite does not need it.
  const { dumpPostgres } = await import('./postgres/dump.ts');
  await dumpPostgres(database, join(folder, 'mayfly.dump'), env);
  return 'mayfly.dump';
}
