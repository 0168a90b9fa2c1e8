/** The column builders of the schema, for PostgreSQL, under the keys and JS types of SQLite's. */
import {
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Columns } from './columns.sqlite.js';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

const postgresColumns = {
  table: pgTable,
  index,
  uniqueIndex,
  text: (name: string) => text(name),
  list: (name: string) => jsonb(name).$type<string[]>(),
  integer: (name: string) => integer(name),
  flag: (name: string) => boolean(name),
  time: (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' }),
  bytes: (name: string) => bytea(name),
};

/** The schema is typed once, as SQLite's; the two sets of builders are proved equal by the store suite. */
export const columns = postgresColumns as unknown as Columns;
