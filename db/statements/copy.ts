/** Statements on any table, to copy one database into another. */
import { count, gt, eq } from 'drizzle-orm';
import type { Db, TableWithId } from '../store.ts';
import type { Tables } from '../schema/tables.ts';

/** Tables that describe the database itself. Each database has its own search index. */
const OWN = ['instances', 'schemaVersions', 'searchPending', 'searchEntries'] as const;
type Own = (typeof OWN)[number];

/** A table with data of the service. */
export type CopiedTable = Exclude<keyof Tables, Own>;

export type AnyRow = Record<string, unknown> & { id: string };

/** The copied tables; referenced tables come first. */
export const copiedTables = ({ t }: Db) =>
  (Object.keys(t) as (keyof Tables)[]).filter((name): name is CopiedTable => !isOwn(name));

const isOwn = (name: string) => OWN.some((own) => own === name);

/** Rows in the order of their ids as the database compares them; the first page is after ''. */
export const rowsAfter = (db: Db, name: CopiedTable, id: string, limit: number) => {
  const table: TableWithId = db.t[name];
  return db.select().from(table).where(gt(table.id, id)).orderBy(table.id).limit(limit);
};

export const rowsWithIds = (db: Db, name: CopiedTable, ids: string[]) => {
  const table: TableWithId = db.t[name];
  return db.select().from(table).where(db.among(table.id, ids));
};

export const idsAfter = (db: Db, name: CopiedTable, id: string, limit: number) => {
  const table: TableWithId = db.t[name];
  return db
    .select({ id: table.id })
    .from(table)
    .where(gt(table.id, id))
    .orderBy(table.id)
    .limit(limit);
};

export const idsAmong = (db: Db, name: CopiedTable, ids: string[]) => {
  const table: TableWithId = db.t[name];
  return db.select({ id: table.id }).from(table).where(db.among(table.id, ids));
};

export const replaceRow = (db: Db, name: CopiedTable, row: AnyRow) => {
  const table: TableWithId = db.t[name];
  return db.update(table).set(row).where(eq(table.id, row.id));
};

export const removeRows = (db: Db, name: CopiedTable, ids: string[]) => {
  const table: TableWithId = db.t[name];
  return db.delete(table).where(db.among(table.id, ids));
};

export const countRows = (db: Db, name: CopiedTable) =>
  db.select({ count: count() }).from(db.t[name] as TableWithId);
