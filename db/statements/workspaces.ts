import { and, asc, count, eq, gt, sql } from 'drizzle-orm';
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

/** Workspaces after a domain, in order, each with the numbers of its live mailboxes and tokens. */
export const workspacesAfter = (db: Db, after: string, limit: number, now: Date) => {
  const { workspaces, mailboxes, tokens } = db.t;
  const { id, name, domain, plan, createdAt } = workspaces;
  const liveMailboxes = db
    .select({ live: count() })
    .from(mailboxes)
    .where(and(eq(mailboxes.workspaceId, workspaces.id), isLive(db, now)));
  const liveTokens = db
    .select({ live: count() })
    .from(tokens)
    .where(and(eq(tokens.workspaceId, workspaces.id), isValid(db, now)));
  return db
    .select({
      ...{ id, name, domain, plan, createdAt },
      mailboxes: sql<number>`(${liveMailboxes})`.mapWith(Number),
      tokens: sql<number>`(${liveTokens})`.mapWith(Number),
    })
    .from(workspaces)
    .where(gt(domain, after))
    .orderBy(asc(domain))
    .limit(limit);
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
