/** Column builders for SQLite. `columns.postgres.ts` has the same keys and JS types. */
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export const sqliteColumns = {
  table: sqliteTable,
  index,
  uniqueIndex,
  text: (name: string) => text(name),
  /** A list of strings. */
  list: (name: string) => text(name, { mode: 'json' }).$type<string[]>(),
  /** Strings by key. */
  map: (name: string) => text(name, { mode: 'json' }).$type<Record<string, string>>(),
  /** A value as JSON, without U+0000. */
  json: <Value>(name: string) => text(name, { mode: 'json' }).$type<Value>(),
  integer: (name: string) => integer(name),
  /** An integer up to 2^53. */
  bigint: (name: string) => integer(name),
  flag: (name: string) => integer(name, { mode: 'boolean' }),
  /** A `Date` with millisecond precision. */
  time: (name: string) => integer(name, { mode: 'timestamp_ms' }),
  /** A `Buffer`. */
  bytes: (name: string) => blob(name, { mode: 'buffer' }),
};

export type Columns = typeof sqliteColumns;
