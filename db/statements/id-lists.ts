/**
 * Queries for lists of ids, prepared for a few lengths of the list. Preparing them makes a page of
 * messages a quarter cheaper than a query built for each list.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import {
  type Transaction,
  type Db,
  type DbQuery,
  type Statement,
  type Store,
  bind,
  defineStatement,
  execute,
} from '../store.ts';

/** The lengths that queries are prepared for. Unused parameters are null, which equals no id. */
const SIZES = [1, 10, 20, 50, 100] as const;
const LONGEST = SIZES[SIZES.length - 1] ?? 0;

type Parameters = Record<string, unknown>;

interface Sized<Row> {
  size: number;
  places: string[];
  statement: Statement<Parameters, Row[]>;
}

/** A query with a list of ids and other parameters. */
export interface IdListQuery<Others extends Parameters, Row> {
  readonly statements: readonly Sized<Row>[];
  /** Type of the other parameters; never set. */
  readonly others?: Others;
}

/** @param build returns the query with the condition that the column is in the list. */
export function defineIdListQuery<Others extends Parameters, Row>(
  name: string,
  columnOf: (db: Db) => SQLiteColumn,
  build: (db: Db, isListed: SQL) => DbQuery<Row[]>,
): IdListQuery<Others, Row> {
  const statements = SIZES.map((size) => {
    const places = Array.from({ length: size }, (_, n) => `id${n}`);
    const statement = defineStatement<Parameters, Row[]>(`${name}-${size}`, (db) => {
      const column = columnOf(db);
      const listed = places.map((place) => bind(column, place));
      return build(db, sql`${column} in (${sql.join(listed, sql`, `)})`);
    });
    return { size, places, statement };
  });
  return { statements };
}

/** Reads the rows of any number of ids, outside a transaction. */
export function idListReader<Row>(query: IdListQuery<Record<string, never>, Row>) {
  return async (store: Pick<Store, 'execute'>, ids: string[]): Promise<Row[]> => {
    const rows: Row[] = [];
    for (const some of pieces(ids)) {
      const { statement, parameters } = fitting(query, some);
      for (const row of await store.execute(statement, parameters)) rows.push(row);
    }
    return rows;
  };
}

/** The rows of any number of ids, inside a transaction. */
export function* runIdList<Others extends Parameters, Row>(
  query: IdListQuery<Others, Row>,
  ids: string[],
  others: Others,
): Transaction<Row[]> {
  const rows: Row[] = [];
  for (const some of pieces(ids)) {
    const { statement, parameters } = fitting(query, some);
    for (const row of yield* execute(statement, { ...others, ...parameters })) rows.push(row);
  }
  return rows;
}

function* pieces(ids: string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += LONGEST) yield ids.slice(from, from + LONGEST);
}

function fitting<Others extends Parameters, Row>(
  { statements }: IdListQuery<Others, Row>,
  ids: string[],
) {
  const found = statements.find(({ size }) => size >= ids.length);
  if (!found) throw new RangeError(`${ids.length} ids asked for at once`);
  const { places, statement } = found;
  return {
    statement,
    parameters: Object.fromEntries(places.map((place, n) => [place, ids[n] ?? null])),
  };
}
