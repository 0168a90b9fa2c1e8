/**
 * The store: one database with one set of statements for both dialects. A statement is a function
 * that returns a Drizzle builder. Outside a transaction it is awaited. A transaction is a generator
 * that yields its statements, because SQLite runs them synchronously and PostgreSQL does not:
 *
 *     const [row] = yield* query(someStatement(tx, id));
 *
 * The body of a transaction contains no other I/O, and the store can run it again from its start.
 */
import type { RunResult } from 'better-sqlite3';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type {
  SQLiteColumn,
  SQLiteInsertBase,
  SQLiteInsertBuilder,
  SQLiteInsertValue,
  SQLiteTable,
} from 'drizzle-orm/sqlite-core';
import type { Tables } from './schema/tables.ts';
import type { SearchIndex } from './search-index.ts';

/** The Drizzle builders that both dialects share, and the tables. */
export type Db = Pick<BetterSQLite3Database, 'select' | 'selectDistinct' | 'update' | 'delete'> & {
  /** Inserts one row; {@link insertIgnoring} inserts any number. */
  readonly insert: <Table extends SQLiteTable>(table: Table) => InsertOne<Table>;
  readonly t: Tables;
  /** The clock of the database, in a transaction that of its transaction; `laterMs` from now. */
  readonly clock: (laterMs?: SQL) => SQL;
  /**
   * The condition that a column of texts has one of the values, however many there are: the list is
   * one parameter. A statement has at most 32,766 parameters on SQLite, and 65,535 on PostgreSQL.
   */
  readonly among: (column: SQLiteColumn, values: readonly string[]) => SQL;
};

/** Drizzle inserts a list in one statement, with a parameter for each value of each row. */
interface InsertOne<Table extends SQLiteTable> extends Pick<
  SQLiteInsertBuilder<Table, 'sync', RunResult>,
  'select'
> {
  values: (row: SQLiteInsertValue<Table>) => SQLiteInsertBase<Table, 'sync', RunResult>;
}

/** A Drizzle builder that has not run yet. */
export interface DbQuery<Rows> extends PromiseLike<Rows> {
  prepare: () => unknown;
}

/** A table with `id` as primary key. */
export type TableWithId = SQLiteTable & { id: SQLiteColumn };

/** A query prepared once per connection, with {@link bind} for its parameters. */
export interface Statement<Parameters extends Record<string, unknown>, Rows> {
  readonly name: string;
  readonly build: (db: Db) => DbQuery<Rows>;
  /** Type of the parameters; never set. */
  readonly parameters?: Parameters;
}

/** A statement with unknown parameter types. */
export type AnyStatement = Omit<Statement<never, unknown>, 'parameters'>;

export type Step =
  | { kind: 'query'; query: DbQuery<unknown> }
  | { kind: 'statement'; statement: AnyStatement; parameters: object }
  | { kind: 'insertIgnoring'; table: TableWithId; rows: Record<string, unknown>[] };

/** The body of a transaction. */
export type Transaction<Result> = Generator<Step, Result, unknown>;

export interface Store {
  /** Errors of builders awaited directly are neither retried nor mapped. */
  readonly db: Db;
  readonly search: SearchIndex;
  /** Milliseconds that a transaction beside others may take. On SQLite, others wait for it. */
  readonly batchMs: number;
  /**
   * Runs a statement outside a transaction: `store.query(someStatement, id)`.
   * @throws {DatabaseUnavailable} if the database stays busy or is unreachable.
   */
  query: <Arguments extends unknown[], Rows>(
    statement: (db: Db, ...args: Arguments) => DbQuery<Rows>,
    ...args: Arguments
  ) => Promise<Rows>;
  /** Same as `query` for a prepared statement. */
  execute: <P extends Record<string, unknown>, Rows>(
    statement: Statement<P, Rows>,
    parameters: P,
  ) => Promise<Rows>;
  /**
   * Runs the body in one atomic transaction and resolves after the commit. The body can run more
   * than once. It has the meaning of transactions that run one after another. With `inTurn`, it has
   * this meaning for the rows that it locks only: PostgreSQL lets it wait for a row and then go on,
   * where it would have to start again otherwise.
   * @throws {DatabaseUnavailable} if the database stays busy, is full or is unreachable;
   *   {@link UnstorableError}.
   */
  transaction: <Result>(
    body: (tx: Db) => Transaction<Result>,
    options?: { inTurn: boolean },
  ) => Promise<Result>;
  /**
   * Returns up to this many free pages to the file system. Resolves to the number of pages, and how
   * long the write lock was held. A reserve for the usual load is kept.
   */
  releaseSpace: (pages: number) => Promise<{ count: number; heldMs: number }>;
  /** Whether the database has a table with this name. */
  hasTable: (name: string) => Promise<boolean>;
  /** Rejects if the database does not respond, or has a schema that this code cannot use. */
  check: () => Promise<void>;
  close: () => Promise<void>;
}

/** Runs one query inside a transaction and yields its rows. */
export function* query<Rows>(query: DbQuery<Rows>): Generator<Step, Rows, unknown> {
  return (yield { kind: 'query', query }) as Rows;
}

/** Same as `query` for a prepared statement. */
export function* execute<P extends Record<string, unknown>, Rows>(
  statement: Statement<P, Rows>,
  parameters: P,
): Generator<Step, Rows, unknown> {
  return (yield { kind: 'statement', statement, parameters }) as Rows;
}

/**
 * INSERT ... ON CONFLICT DO NOTHING: inserts the rows with new keys and returns the ids of the
 * inserted rows. Each driver has its own fastest form of it.
 */
export function* insertIgnoring<Table extends TableWithId>(
  table: Table,
  rows: Table['$inferInsert'][],
): Generator<Step, Set<string>, unknown> {
  if (rows.length === 0) return new Set();
  return (yield { kind: 'insertIgnoring', table, rows }) as Set<string>;
}

/** Defines a query that is prepared once. The name is unique among all statements. */
export function defineStatement<P extends Record<string, unknown>, Rows>(
  name: string,
  build: (db: Db) => DbQuery<Rows>,
): Statement<P, Rows> {
  return { name, build };
}

/**
 * A parameter of a {@link defineStatement} query, encoded like the values of the column; can be
 * null.
 */
export function bind(column: SQLiteColumn, name: string): SQL {
  const mapToDriverValue = (value: unknown) =>
    value === null ? null : column.mapToDriverValue(value);
  return sql`${sql.param(sql.placeholder(name), { mapToDriverValue })}`;
}
