/** What the database says of itself: the instance that it belongs to, and its schema. */
import { eq, lte } from 'drizzle-orm';
import type { Db } from '../store.ts';
import type { InstanceState } from '../schema/tables.ts';

/** Both tables have one row. */
const ID = 'this';

/** Returns one row, or none while the database is unclaimed. */
export const instanceOf = (db: Db) => db.select().from(db.t.instances).limit(1);

/** Claims an unclaimed database. Of several concurrent calls one succeeds. */
export const assignInstance = (db: Db, instanceId: string, state: InstanceState) =>
  db.insert(db.t.instances).values({ id: ID, instanceId, state }).onConflictDoNothing();

export const setInstanceState = (db: Db, state: InstanceState) =>
  db.update(db.t.instances).set({ state }).where(eq(db.t.instances.id, ID));

/** One row, or none in a database that is not migrated completely. */
export const schemaVersion = (db: Db) => db.select().from(db.t.schemaVersions).limit(1);

/** Records a migration, unless the database has a newer schema. */
export const recordSchemaVersion = (db: Db, version: number, oldestCode: number) => {
  const v = db.t.schemaVersions;
  return db
    .insert(v)
    .values({ id: ID, version, oldestCode })
    .onConflictDoUpdate({
      target: v.id,
      set: { version, oldestCode },
      setWhere: lte(v.version, version),
    });
};
