/**
 * The SQLite driver: one connection, WAL, `synchronous=FULL` (better-sqlite3 compiles NORMAL as the
 * WAL default, which can lose the last commits on a power failure). Transactions begin IMMEDIATE:
 * one that reads first and writes later fails at once if another process writes. Waiting for the
 * lock of another process blocks the event loop, so the busy timeout of SQLite is short and the
 * store retries. Statements wait for the next turn of the event loop when they have used up one.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { type SQL, getTableColumns, sql } from 'drizzle-orm';
import { BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { type SQLiteColumn, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import type { SqliteConfig } from '../config.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { tables } from '../schema/tables.sqlite.ts';
import type { AnyStatement, Transaction, Db, DbQuery, Step, Store, TableWithId } from '../store.ts';
import { openWriteLock, retryWhileBusy, openTurns } from './turns.ts';
import { openSqliteSearch } from './search-index.ts';

const BUSY_TIMEOUT_MS = 50;
/** Reserve of free pages: a share of the file, and at least 8 MiB. */
const RESERVED_RATIO = 0.1;
const RESERVED_PAGES = 2048;

/** A prepared Drizzle query of this driver. */
interface Prepared {
  execute: (parameters?: object) => { sync: () => unknown };
}

/** Opens a migrated file. @throws {DatabaseUnavailable} if it stays locked. */
export async function openSqlite({ path, cacheKiB }: SqliteConfig): Promise<Store> {
  const connection = await connect(path);
  if (cacheKiB !== undefined) connection.pragma(`cache_size = -${cacheKiB}`);
  const orm = openDrizzle(connection);
  const db = Object.assign(orm as unknown as Omit<Db, keyof Own>, own);
  const inTurn = openTurns();
  const lock = openWriteLock();
  const read = <Result>(work: () => Result) => retryWhileBusy(() => inTurn(work));
  const write = <Result>(work: () => Result) => lock(() => inTurn(work));
  const statements = new Map<string, Prepared>();
  const inserts = new Map<
    TableWithId,
    (row: Record<string, unknown>) => { id: string } | undefined
  >();
  const hasTable = connection.prepare('select 1 from sqlite_master where name = ?');
  const search = openSqliteSearch(connection);

  const runStatement = (statement: AnyStatement, parameters: object) =>
    cached(statements, statement.name, () => statement.build(db))
      .execute(parameters)
      .sync();

  const insertIgnoring = (table: TableWithId, rows: Record<string, unknown>[]) => {
    const insert = inserts.get(table) ?? insertOne(connection, orm, table);
    inserts.set(table, insert);
    return new Set(rows.flatMap((row) => insert(row)?.id ?? []));
  };

  const runStep = (step: Step) => {
    switch (step.kind) {
      case 'query':
        return execute(step.query);
      case 'statement':
        return runStatement(step.statement, step.parameters);
      case 'insertIgnoring':
        return insertIgnoring(step.table, step.rows);
    }
  };

  return {
    db,
    batchMs: 25,
    search: {
      add: (entries) =>
        write(() => {
          connection
            .transaction(() => {
              search.add(entries);
            })
            .immediate();
        }),
      complete: (word) => read(() => search.complete(word)),
      tidy: async () => undefined, // FTS5 merges segments when it adds to them
      propose: (wanted) => read(() => search.propose(wanted)),
    },
    query: (statement, ...args) => read(() => execute(statement(db, ...args)) as never),
    execute: <Rows>(statement: AnyStatement, parameters: object) =>
      read(() => runStatement(statement, parameters) as Rows),
    transaction: (body) =>
      write(() => connection.transaction(() => runBody(body(db), runStep)).immediate()),
    releaseSpace: (pages) => write(() => incrementalVacuum(connection, pages)),
    hasTable: (name) => read(() => hasTable.get(name) !== undefined),
    check: async () => {
      await read(() => orm.get(sql`select 1`));
    },
    close: async () => {
      connection.close();
    },
  };
}

/** Migrates the file to the current schema, and creates it if needed. */
export async function migrateSqlite(path: string, migrationsFolder: string): Promise<void> {
  const connection = await connect(path);
  try {
    migrate(drizzle(connection), { migrationsFolder });
  } finally {
    connection.close();
  }
}

/** better-sqlite3 ends an older Node.js by a segmentation fault. */
const OLDEST_NODE = 22;

async function connect(path: string): Promise<Database.Database> {
  if (parseInt(process.versions.node) < OLDEST_NODE) {
    throw new DatabaseUnavailable(
      `SQLite needs Node.js ${OLDEST_NODE} or newer; this is ${process.version}`,
    );
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const connection = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    // The first process to open the file, or to recover it after a crash, locks out the others
    // briefly.
    await retryWhileBusy(() => {
      configure(connection);
    });
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

function configure(connection: Database.Database): void {
  connection.pragma('auto_vacuum = INCREMENTAL'); // has an effect only before the first table is created
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('wal_autocheckpoint = 8000'); // 32 MiB: a checkpoint delays the commit that triggers it
  connection.pragma('journal_size_limit = 67108864'); // the file is truncated to this size after a long read transaction let it grow
  connection.pragma('foreign_keys = ON');
}

/**
 * Drizzle on SQLite with statements that are planned once. SQLite reads the value of a bare
 * parameter when it plans a condition or a limit, if it is compiled with STAT4, as better-sqlite3
 * is. It then plans the statement again whenever the parameter is bound, with equal values as well:
 * reading one message took 36 us instead of 7. The value of a function call is not read. No plan
 * depends on values here: no partial index compares with one, and nothing runs ANALYZE.
 */
class PlannedOnce extends SQLiteSyncDialect {
  override escapeParam(): string {
    return 'coalesce(?, null)';
  }
}

function openDrizzle(connection: Database.Database): BetterSQLite3Database {
  const dialect = new PlannedOnce();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(
    connection,
    dialect,
    undefined,
  );
  return new BetterSQLite3Database('sync', dialect, session, undefined);
}

/** Milliseconds since 1970, as the columns of times have them. */
function clock(laterMs: SQL = sql`0`): SQL {
  return sql`(cast(round(unixepoch('now', 'subsec') * 1000) as integer) + ${laterMs})`;
}

function among(column: SQLiteColumn, values: readonly string[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(values)}))`;
}

const own = { t: tables, clock, among };
type Own = typeof own;

/**
 * Inserts one row per prepared statement: on SQLite twice as fast as a multi-row insert. Values are
 * bound to the SQL without Drizzle, which would take as long as the insert.
 */
function insertOne(
  connection: Database.Database,
  orm: BetterSQLite3Database,
  table: TableWithId,
): (row: Record<string, unknown>) => { id: string } | undefined {
  const columns = Object.entries<SQLiteColumn>(getTableColumns(table));
  const places = columns.map(([name]) => [name, sql.placeholder(name)]);
  const insert = orm
    .insert(table)
    .values(Object.fromEntries(places) as TableWithId['$inferInsert'])
    .onConflictDoNothing()
    .returning({ id: table.id });
  const statement = connection.prepare<unknown[], { id: string }>(insert.toSQL().sql);
  return (row) =>
    statement.get(
      columns.map(([name, column]) => {
        const value = row[name] ?? null;
        return value === null ? null : column.mapToDriverValue(value);
      }),
    );
}

function execute(query: DbQuery<unknown>): unknown {
  return (query.prepare() as Prepared).execute().sync();
}

function cached<Key>(cache: Map<Key, Prepared>, key: Key, build: () => DbQuery<unknown>): Prepared {
  let prepared = cache.get(key);
  if (!prepared) {
    prepared = build().prepare() as Prepared;
    cache.set(key, prepared);
  }
  return prepared;
}

function runBody<Result>(body: Transaction<Result>, runStep: (step: Step) => unknown): Result {
  let state = body.next();
  while (!state.done) state = body.next(runStep(state.value));
  return state.value;
}

/**
 * Incremental vacuum. Free pages stay in the file and are reused first, so the file does not grow
 * under a steady load. After a peak, free pages above a reserve are truncated in small steps:
 * SQLite moves the last pages to free ones under the write lock (sqlite.org/pragma.html,
 * "incremental_vacuum").
 * @returns as `count` the number of truncated pages, at most `pages`.
 */
export function incrementalVacuum(
  connection: Database.Database,
  pages: number,
): { count: number; heldMs: number } {
  const read = (pragma: string) => connection.pragma(pragma, { simple: true }) as number;
  const reserved = Math.max(RESERVED_PAGES, read('page_count') * RESERVED_RATIO);
  const before = read('freelist_count');
  const wanted = Math.min(pages, Math.floor(before - reserved));
  if (wanted <= 0) return { count: 0, heldMs: 0 };
  const began = performance.now();
  connection.pragma(`incremental_vacuum(${wanted})`);
  const heldMs = performance.now() - began;
  // A file without `auto_vacuum` keeps its pages. The count of 0 ends the loop of the caller.
  return { count: before - read('freelist_count'), heldMs };
}
