/** Tests that read the SQLite file without the store. They are left out on PostgreSQL. */
import type { Config } from '../../../core/config/config.ts';
import { onPostgres } from './test-database.ts';

// mocha replaces `describe` and `it` for each file of a parallel run: a test that is added to those
// of another file is not run, without an error.
export const describeOnSqlite = (title: string, define: () => void): void => {
  if (!onPostgres) describe(title, define);
};
export const itOnSqlite = (title: string, run: Mocha.AsyncFunc): void => {
  if (!onPostgres) it(title, run);
};

export function sqliteFile({ database }: Pick<Config, 'database'>): string {
  if (database.kind !== 'sqlite') throw new Error('this test is about SQLite');
  return database.path;
}
