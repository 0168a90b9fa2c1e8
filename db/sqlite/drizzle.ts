/**
 * Drizzle on SQLite with statements that are planned once. SQLite reads the value of a bare
 * parameter when it plans a condition or a limit, if it is compiled with STAT4, as better-sqlite3
 * is. It then plans the statement again whenever the parameter is bound, with equal values as well:
 * reading one message took 36 us instead of 7. The value of a function call is not read. No plan
 * depends on values here: no partial index compares with one, and nothing runs ANALYZE.
 */
import type Database from 'better-sqlite3';
import { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';

class PlannedOnce extends SQLiteSyncDialect {
  override escapeParam(): string {
    return 'coalesce(?, null)';
  }
}

export function openDrizzle(connection: Database.Database): BetterSQLite3Database {
  const dialect = new PlannedOnce();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(
    connection,
    dialect,
    undefined,
  );
  return new BetterSQLite3Database('sync', dialect, session, undefined);
}
