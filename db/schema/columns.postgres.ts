/** Column builders for PostgreSQL, with the same keys and JS types as for SQLite. */
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Columns } from './columns.sqlite.ts';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * PostgreSQL text cannot contain U+0000. Mail is stored without it, and a lookup of a text that
 * contains it finds nothing.
 */
const text = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => (value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value),
});

/** Dates outside the range of PostgreSQL are clamped to it. They occur in comparisons only. */
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
  map: (name: string) => jsonb(name).$type<Record<string, string>>(),
  json: <Value>(name: string) => jsonb(name).$type<Value>(),
  integer: (name: string) => integer(name),
  bigint: (name: string) => bigint(name, { mode: 'number' }),
  flag: (name: string) => boolean(name),
  time: (name: string) => time(name),
  bytes: (name: string) => bytea(name),
};

/**
 * The schema has the types of SQLite. The store suite checks that both sets of builders behave the
 * same.
 */
export const columns = postgresColumns as unknown as Columns;
