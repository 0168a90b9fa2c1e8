import { lte } from 'drizzle-orm';
import type { Db } from '../store.ts';

const ID = 'this';

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
