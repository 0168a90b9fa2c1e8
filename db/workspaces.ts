import { and, eq, isNull } from 'drizzle-orm';
import { type Db, bind, defineStatement } from './store.js';
import type { Tables } from './tables.js';

export type WorkspaceRow = Tables['workspaces']['$inferSelect'];
export type TokenRow = Tables['tokens']['$inferSelect'];

export const insertWorkspace = (db: Db, row: WorkspaceRow) =>
  db
    .insert(db.t.workspaces)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: db.t.workspaces.id });

export const anyWorkspace = (db: Db) =>
  db.select({ id: db.t.workspaces.id }).from(db.t.workspaces).limit(1);

export const allDomains = (db: Db) =>
  db.select({ domain: db.t.workspaces.domain }).from(db.t.workspaces);

export const insertToken = (db: Db, row: Tables['tokens']['$inferInsert']) =>
  db.insert(db.t.tokens).values(row).returning();

/** The live token with this hash, with its workspace. */
export const tokenByHash = defineStatement<
  { hash: string },
  { token: TokenRow; workspace: WorkspaceRow }[]
>('token-by-hash', (db) =>
  db
    .select({ token: db.t.tokens, workspace: db.t.workspaces })
    .from(db.t.tokens)
    .innerJoin(db.t.workspaces, eq(db.t.workspaces.id, db.t.tokens.workspaceId))
    .where(
      and(eq(db.t.tokens.hash, bind(db.t.tokens.hash, 'hash')), isNull(db.t.tokens.revokedAt)),
    ),
);
