import { eq } from 'drizzle-orm';
import type { Db } from './store.js';
import type { Tables } from './tables.js';

export type WorkspaceRow = Tables['workspaces']['$inferSelect'];

export const insertWorkspace = (db: Db, row: WorkspaceRow) =>
  db
    .insert(db.t.workspaces)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: db.t.workspaces.id });

export const anyWorkspace = (db: Db) =>
  db.select({ id: db.t.workspaces.id }).from(db.t.workspaces).limit(1);

export const workspaceByDomain = (db: Db, domain: string) =>
  db.select().from(db.t.workspaces).where(eq(db.t.workspaces.domain, domain));

export const allDomains = (db: Db) =>
  db.select({ domain: db.t.workspaces.domain }).from(db.t.workspaces);
