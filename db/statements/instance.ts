import { eq } from 'drizzle-orm';
import type { Db } from '../store.js';
import type { InstanceState } from '../schema/tables.js';

const ID = 'this';

/** The one row, or none before anybody has claimed the database. */
export const instanceOf = (db: Db) => db.select().from(db.t.instances).limit(1);

/** Claims a database that nobody has claimed; of several who try, one succeeds. */
export const claimForInstance = (db: Db, instanceId: string, state: InstanceState) =>
  db.insert(db.t.instances).values({ id: ID, instanceId, state }).onConflictDoNothing();

export const setInstanceState = (db: Db, state: InstanceState) =>
  db.update(db.t.instances).set({ state }).where(eq(db.t.instances.id, ID));
