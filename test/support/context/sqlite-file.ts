/** Tests that look into SQLite's file behind the store's back. On another database there is no such thing to test. */
import type { Config } from '../../../core/config/config.js';
import { onPostgres } from './test-database.js';

export const describeOnSqlite = onPostgres ? () => undefined : describe;
export const itOnSqlite = onPostgres ? () => undefined : it;

export function sqliteFile({ database }: Pick<Config, 'database'>): string {
  if (database.kind !== 'sqlite') throw new Error('this test is about SQLite');
  return database.path;
}
