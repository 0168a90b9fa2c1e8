import { and, desc, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm';
import { type Db, bind, defineStatement } from '../store.ts';
import type { Tables } from '../schema/tables.ts';

export type TokenRow = Tables['tokens']['$inferSelect'];

export const insertToken = (db: Db, row: Tables['tokens']['$inferInsert']) =>
  db.insert(db.t.tokens).values(row).returning();

/** Inserts the row, and returns it, unless a token with this hash exists, even if revoked. */
export const insertNewToken = (db: Db, row: Tables['tokens']['$inferInsert']) =>
  db.insert(db.t.tokens).values(row).onConflictDoNothing().returning();

/** One row if any workspace has a live token. */
export const anyLiveToken = (db: Db, now: Date) =>
  db.select({ id: db.t.tokens.id }).from(db.t.tokens).where(isValid(db, now)).limit(1);

/** The condition that a token is neither revoked nor expired at `now`. */
export const isValid = ({ t: { tokens: t } }: Db, now: Date) =>
  and(isNull(t.revokedAt), or(isNull(t.expiresAt), gt(t.expiresAt, now)));

/** Same as {@link isValid} for a prepared statement with the parameter `now`. */
const isValidAtBound = ({ t: { tokens: t } }: Db) =>
  and(isNull(t.revokedAt), or(isNull(t.expiresAt), gt(t.expiresAt, bind(t.expiresAt, 'now'))));

interface Bearer {
  token: TokenRow;
  workspace: Tables['workspaces']['$inferSelect'];
}

const withWorkspace = (db: Db) =>
  db
    .select({ token: db.t.tokens, workspace: db.t.workspaces })
    .from(db.t.tokens)
    .innerJoin(db.t.workspaces, eq(db.t.workspaces.id, db.t.tokens.workspaceId));

/** The live token with this hash, with its workspace. */
export const tokenByHash = defineStatement<{ hash: string; now: Date }, Bearer[]>(
  'token-by-hash',
  (db) =>
    withWorkspace(db).where(
      and(eq(db.t.tokens.hash, bind(db.t.tokens.hash, 'hash')), isValidAtBound(db)),
    ),
);

/** The live token with this id, with its workspace. */
export const tokenById = defineStatement<{ id: string; now: Date }, Bearer[]>('token-by-id', (db) =>
  withWorkspace(db).where(and(eq(db.t.tokens.id, bind(db.t.tokens.id, 'id')), isValidAtBound(db))),
);

/** Returns one row while the token is live. For use outside a transaction. */
export const tokenLiveness = defineStatement<{ id: string; now: Date }, { id: string }[]>(
  'token-liveness',
  (db) =>
    db
      .select({ id: db.t.tokens.id })
      .from(db.t.tokens)
      .where(and(eq(db.t.tokens.id, bind(db.t.tokens.id, 'id')), isValidAtBound(db))),
);

/** Same as {@link tokenLiveness} for use inside a transaction. */
export const liveToken = (db: Db, id: string, now: Date) =>
  db
    .select({ id: db.t.tokens.id })
    .from(db.t.tokens)
    .where(and(eq(db.t.tokens.id, id), isValid(db, now)));

/** Those of these tokens that are valid. */
export const liveTokenIds = (db: Db, ids: string[], now: Date) =>
  db
    .select({ id: db.t.tokens.id })
    .from(db.t.tokens)
    .where(and(db.among(db.t.tokens.id, ids), isValid(db, now)));

/** The live tokens of the workspace, newest first: ids are in the order of creation. */
export const liveTokens = (
  db: Db,
  { workspaceId, before, limit }: { workspaceId: string; before: string | null; limit: number },
  now: Date,
) => {
  const t = db.t.tokens;
  const isEarlier = before === null ? undefined : lt(t.id, before);
  return db
    .select()
    .from(t)
    .where(and(eq(t.workspaceId, workspaceId), isEarlier, isValid(db, now)))
    .orderBy(desc(t.id))
    .limit(limit);
};

/** Of the live tokens for all mailboxes, the newest that may change data, else the newest. */
export const liveTokenForAll = (db: Db, workspaceId: string, now: Date) => {
  const t = db.t.tokens;
  return db
    .select()
    .from(t)
    .where(and(eq(t.workspaceId, workspaceId), isNull(t.mailboxes), isValid(db, now)))
    .orderBy(sql`${t.role} = 'reader'`, desc(t.id))
    .limit(1);
};

export const markTokenRevoked = (db: Db, workspaceId: string, id: string, now: Date) => {
  const t = db.t.tokens;
  return db
    .update(t)
    .set({ revokedAt: now })
    .where(and(eq(t.id, id), eq(t.workspaceId, workspaceId), isNull(t.revokedAt)))
    .returning({ id: t.id });
};

export const markTokensRevoked = (db: Db, workspaceId: string, now: Date) => {
  const t = db.t.tokens;
  return db
    .update(t)
    .set({ revokedAt: now })
    .where(and(eq(t.workspaceId, workspaceId), isNull(t.revokedAt)))
    .returning({ id: t.id });
};

/** Removes the tokens of the workspace, including revoked ones. */
export const removeTokensOf = (db: Db, workspaceId: string) =>
  db
    .delete(db.t.tokens)
    .where(eq(db.t.tokens.workspaceId, workspaceId))
    .returning({ id: db.t.tokens.id });

/** Records a use of these tokens, unless one after `before` is already recorded. */
export const markTokensUsed = (db: Db, ids: string[], usedAt: Date, before: Date) => {
  const t = db.t.tokens;
  return db
    .update(t)
    .set({ lastUsedAt: usedAt })
    .where(and(db.among(t.id, ids), or(isNull(t.lastUsedAt), lte(t.lastUsedAt, before))))
    .returning({ id: t.id });
};
