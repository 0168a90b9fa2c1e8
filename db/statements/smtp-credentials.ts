import { type SQL, and, asc, count, desc, eq, gt, isNull, lt, or } from 'drizzle-orm';
import { type Db, query, type Transaction } from '../store.ts';
import type { Tables } from '../schema/tables.ts';

export type CredentialRow = Tables['smtpCredentials']['$inferSelect'];

/** Inserts the row, and returns it, unless its user name is taken. */
export const insertCredential = (db: Db, row: CredentialRow) =>
  db.insert(db.t.smtpCredentials).values(row).onConflictDoNothing().returning();

/** The credentials of a mailbox, newest first. */
export const selectCredentials = (db: Db, mailboxId: string) => {
  const c = db.t.smtpCredentials;
  return db
    .select()
    .from(c)
    .where(eq(c.mailboxId, mailboxId))
    .orderBy(desc(c.createdAt), desc(c.id));
};

export const countCredentials = (db: Db, mailboxId: string) =>
  db
    .select({ count: count() })
    .from(db.t.smtpCredentials)
    .where(eq(db.t.smtpCredentials.mailboxId, mailboxId));

export const updatePassword = (
  db: Db,
  mailboxId: string,
  id: string,
  password: Pick<CredentialRow, 'passwordHash' | 'passwordSetAt'>,
) =>
  db
    .update(db.t.smtpCredentials)
    .set(password)
    .where(isIn(db, mailboxId, id))
    .returning();

export const removeCredential = (db: Db, mailboxId: string, id: string) =>
  db
    .delete(db.t.smtpCredentials)
    .where(isIn(db, mailboxId, id))
    .returning();

/** Removes the credentials of these mailboxes. */
export const removeCredentialsOf = (db: Db, mailboxIds: string[]) =>
  db
    .delete(db.t.smtpCredentials)
    .where(db.among(db.t.smtpCredentials.mailboxId, mailboxIds))
    .returning();

/** Records each use that is at least `intervalMs` after the recorded one. */
export function* recordCredentialUses(
  tx: Db,
  uses: ReadonlyMap<string, Date>,
  intervalMs: number,
): Transaction<void> {
  const c = tx.t.smtpCredentials;
  for (const [id, usedAt] of uses) {
    const before = new Date(usedAt.getTime() - intervalMs);
    yield* query(
      tx
        .update(c)
        .set({ lastUsedAt: usedAt })
        .where(and(eq(c.id, id), or(isNull(c.lastUsedAt), lt(c.lastUsedAt, before))))
        .returning({ id: c.id }),
    );
  }
}

/** Credentials of live mailboxes with their domains, ordered by id, after the given id. */
export const credentialPage = (db: Db, afterId: string, limit: number) =>
  credentialRows(db, gt(db.t.smtpCredentials.id, afterId))
    .orderBy(asc(db.t.smtpCredentials.id))
    .limit(limit);

/** Credentials of live mailboxes with these user names. */
export const credentialsByUsername = (db: Db, usernames: string[]) =>
  credentialRows(db, db.among(db.t.smtpCredentials.username, usernames));

function credentialRows(db: Db, condition: SQL) {
  const { smtpCredentials: c, mailboxes, workspaces } = db.t;
  return db
    .select({ credential: c, mailboxName: mailboxes.name, domain: workspaces.domain })
    .from(c)
    .innerJoin(mailboxes, eq(mailboxes.id, c.mailboxId))
    .innerJoin(workspaces, eq(workspaces.id, mailboxes.workspaceId))
    .where(and(condition, isNull(mailboxes.deletedAt)));
}

const isIn = ({ t: { smtpCredentials: c } }: Db, mailboxId: string, id: string) =>
  and(eq(c.id, id), eq(c.mailboxId, mailboxId));
