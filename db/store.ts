/**
 * The store: one database behind one set of statements, whatever the dialect.
 *
 * Statements are plain functions that return Drizzle builders. Outside a transaction they are awaited.
 * Inside one they are steps of a generator:
 *
 *     await store.transaction(function* (tx) {
 *       const [row] = yield* step(someStatement(tx, id));
 *       return row;
 *     });
 *
 * The generator hands each query to the driver, which runs it and hands back the rows: SQLite's at once,
 * inside better-sqlite3's own synchronous transaction, PostgreSQL's awaited. A generator cannot await,
 * so no I/O slips into a transaction, nothing interleaves with it on SQLite's one connection, and a body
 * can be run again from its beginning when the database asks for that.
 */
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Tables } from './schema/tables.js';

/** What statements are written against: the builders both dialects share, and the tables. */
export type Db = Pick<
  BetterSQLite3Database,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete'
> & {
  readonly t: Tables;
};

/** A Drizzle builder that has not run yet. */
export interface DbQuery<Rows> extends PromiseLike<Rows> {
  prepare: () => unknown;
}

/** A table whose rows are told apart by `id`. */
export type TableWithId = SQLiteTable & { id: SQLiteColumn };

/** A query built once per connection, with {@link bind} in the places of its parameters. */
export interface Statement<Parameters extends Record<string, unknown>, Rows> {
  readonly name: string;
  readonly build: (db: Db) => DbQuery<Rows>;
  /** Carries the type of the parameters; never set. */
  readonly parameters?: Parameters;
}

/** A statement whose parameters its holder does not know. */
export type AnyStatement = Omit<Statement<never, unknown>, 'parameters'>;

export type Step =
  | { kind: 'query'; query: DbQuery<unknown> }
  | { kind: 'statement'; statement: AnyStatement; parameters: object }
  | { kind: 'insertIgnoring'; table: TableWithId; rows: object[] };

/** The body of a transaction. */
export type Body<Result> = Generator<Step, Result, unknown>;

export interface Store {
  /** A builder of it that is awaited directly is neither retried nor are its errors mapped. */
  readonly db: Db;
  /**
   * Runs a statement outside any transaction: `store.ask(someStatement, id)`.
   * @throws {DatabaseUnavailable} when the database stays busy or is away.
   */
  ask: <Arguments extends unknown[], Rows>(
    statement: (db: Db, ...args: Arguments) => DbQuery<Rows>,
    ...args: Arguments
  ) => Promise<Rows>;
  /** The same for a prepared statement. */
  read: <P extends Record<string, unknown>, Rows>(
    statement: Statement<P, Rows>,
    parameters: P,
  ) => Promise<Rows>;
  /**
   * Runs the body in one transaction that no other can see half of; resolves after the commit. A body
   * may run more than once.
   * @throws {DatabaseUnavailable} when the database stays busy, full or away; {@link Refused}.
   */
  transaction: <Result>(body: (tx: Db) => Body<Result>) => Promise<Result>;
  /**
   * Gives back to the file system up to so many pages that nothing is stored in any more; resolves to how
   * many it gave, and how long that held the write lock. What a steady load will soon fill again is kept.
   */
  releaseSpace: (pages: number) => Promise<{ count: number; heldMs: number }>;
  /** Rejects when the database does not answer. */
  check: () => Promise<void>;
  close: () => Promise<void>;
}

/** Runs one query inside a transaction and yields its rows. */
export function* step<Rows>(query: DbQuery<Rows>): Generator<Step, Rows, unknown> {
  return (yield { kind: 'query', query }) as Rows;
}

/** The same for a prepared statement. */
export function* run<P extends Record<string, unknown>, Rows>(
  statement: Statement<P, Rows>,
  parameters: P,
): Generator<Step, Rows, unknown> {
  return (yield { kind: 'statement', statement, parameters }) as Rows;
}

/**
 * INSERT ... ON CONFLICT DO NOTHING: inserts the rows whose keys do not exist yet and returns the ids of those
 * inserted. Each driver has its own fastest form of it.
 */
export function* insertIgnoring<Table extends TableWithId>(
  table: Table,
  rows: Table['$inferInsert'][],
): Generator<Step, Set<string>, unknown> {
  if (rows.length === 0) return new Set();
  return (yield { kind: 'insertIgnoring', table, rows }) as Set<string>;
}

/** A query worth preparing once; its name is unique among all statements. */
export function defineStatement<P extends Record<string, unknown>, Rows>(
  name: string,
  build: (db: Db) => DbQuery<Rows>,
): Statement<P, Rows> {
  return { name, build };
}

/** The place of a parameter in a {@link defineStatement} query, encoded as the column's values are; or null. */
export function bind(column: SQLiteColumn, name: string): SQL {
  const mapToDriverValue = (value: unknown) =>
    value === null ? null : column.mapToDriverValue(value);
  return sql`${sql.param(sql.placeholder(name), { mapToDriverValue })}`;
}
