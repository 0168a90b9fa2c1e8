import { and, asc, count, eq, gt } from 'drizzle-orm';
import type { Db } from '../store.ts';
import { isLive } from './reach.ts';
import { isValid } from './tokens.ts';
import type { Tables } from '../schema/tables.ts';

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

/** The domains after one, in order. */
export const domainsAfter = (db: Db, domain: string, limit: number) => {
  const w = db.t.workspaces;
  return db
    .select({ domain: w.domain })
    .from(w)
    .where(gt(w.domain, domain))
    .orderBy(asc(w.domain))
    .limit(limit);
};

/** Workspaces after a domain, in order. */
export const workspacesAfter = (db: Db, after: string, limit: number) => {
  const w = db.t.workspaces;
  return db.select().from(w).where(gt(w.domain, after)).orderBy(asc(w.domain)).limit(limit);
};

/**
 * The numbers of live mailboxes of these workspaces, without those that have none. One statement
 * for all: PostgreSQL reads the whole table for each if one workspace has most of the rows.
 */
export const liveMailboxCounts = (db: Db, workspaceIds: string[], now: Date) => {
  const { workspaceId } = db.t.mailboxes;
  return db
    .select({ workspaceId, live: count() })
    .from(db.t.mailboxes)
    .where(and(db.among(workspaceId, workspaceIds), isLive(db, now)))
    .groupBy(workspaceId);
};

/** Same as {@link liveMailboxCounts} for tokens. */
export const liveTokenCounts = (db: Db, workspaceIds: string[], now: Date) => {
  const { workspaceId } = db.t.tokens;
  return db
    .select({ workspaceId, live: count() })
    .from(db.t.tokens)
    .where(and(db.among(workspaceId, workspaceIds), isValid(db, now)))
    .groupBy(workspaceId);
};

/** The domains of these workspaces. */
export const workspaceDomains = (db: Db, ids: string[]) =>
  db
    .select({ id: db.t.workspaces.id, domain: db.t.workspaces.domain })
    .from(db.t.workspaces)
    .where(db.among(db.t.workspaces.id, ids));

export const updatePlan = (db: Db, domain: string, plan: WorkspaceRow['plan']) =>
  db.update(db.t.workspaces).set({ plan }).where(eq(db.t.workspaces.domain, domain)).returning();

/** Fails while mailboxes or tokens reference the workspace. */
export const removeWorkspace = (db: Db, id: string) =>
  db
    .delete(db.t.workspaces)
    .where(eq(db.t.workspaces.id, id))
    .returning({ id: db.t.workspaces.id });
