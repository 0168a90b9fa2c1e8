/** Tests that read the SQLite file without the store. They are left out on PostgreSQL. */
import type { Config } from '../../../core/config/config.js';
import { onPostgres } from './test-database.js';

export const describeOnSqlite = onPostgres ? () => undefined : describe;
export const itOnSqlite = onPostgres ? () => undefined : it;

export function sqliteFile({ database }: Pick<Config, 'database'>): string {
  if (database.kind !== 'sqlite') throw new Error('this test is about SQLite');
  return database.path;
}
