import { eq } from 'drizzle-orm';
import type { Db } from '../store.ts';
import type { InstanceState } from '../schema/tables.ts';

const ID = 'this';

/** Returns one row, or none while the database is unclaimed. */
export const instanceOf = (db: Db) => db.select().from(db.t.instances).limit(1);

/** Claims an unclaimed database. Of several concurrent calls one succeeds. */
export const assignInstance = (db: Db, instanceId: string, state: InstanceState) =>
  db.insert(db.t.instances).values({ id: ID, instanceId, state }).onConflictDoNothing();

export const setInstanceState = (db: Db, state: InstanceState) =>
  db.update(db.t.instances).set({ state }).where(eq(db.t.instances.id, ID));
