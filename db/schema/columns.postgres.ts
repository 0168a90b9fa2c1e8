/** The column builders of the schema, for PostgreSQL, under the keys and JS types of SQLite's. */
import {
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Columns } from './columns.sqlite.js';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** PostgreSQL has no U+0000; mail is stored without it, and what somebody asks for with it is not there. */
const text = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => (value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value),
});

/** What JavaScript can say and PostgreSQL cannot is as far away as it can be: only ever compared with. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

const time = customType<{ data: Date; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  toDriver: (date) => new Date(Math.min(Math.max(date.getTime(), EARLIEST), LATEST)).toISOString(),
  fromDriver: (text) => new Date(text),
});

const postgresColumns = {
  table: pgTable,
  index,
  uniqueIndex,
  text: (name: string) => text(name),
  list: (name: string) => jsonb(name).$type<string[]>(),
  integer: (name: string) => integer(name),
  flag: (name: string) => boolean(name),
  time: (name: string) => time(name),
  bytes: (name: string) => bytea(name),
};

/** The schema is typed once, as SQLite's; the two sets of builders are proved equal by the store suite. */
export const columns = postgresColumns as unknown as Columns;
