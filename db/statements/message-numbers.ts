/**
 * The numbers of messages, which count those of a workspace in the order of their commits. The
 * transaction that stores messages holds the row of its workspace until the commit. Therefore all
 * messages up to the last number are visible once this number is read.
 */
import { eq, sql } from 'drizzle-orm';
import { type Transaction, type Db, bind, defineStatement, execute } from '../store.ts';

/** Takes `count` numbers of a workspace, and returns the last of them. */
const raise = defineStatement<{ id: string; count: number }, { last: number }[]>(
  'raise-number',
  (db) => {
    const n = db.t.messageNumbers;
    return db
      .insert(n)
      .values({ id: bind(n.id, 'id'), last: bind(n.last, 'count') })
      .onConflictDoUpdate({ target: n.id, set: { last: sql`${n.last} + excluded.last` } })
      .returning({ last: n.last });
  },
);

/**
 * Takes the next numbers of these workspaces, one for each place in the list. The rows are locked
 * in the order of their ids, so that two transactions cannot wait for each other.
 */
export function* nextNumbers(workspaceIds: string[]): Transaction<number[]> {
  const counts = new Map<string, number>();
  for (const id of workspaceIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const next = new Map<string, number>();
  for (const id of [...counts.keys()].sort()) {
    const count = counts.get(id) ?? 0;
    for (const { last } of yield* execute(raise, { id, count })) next.set(id, last - count + 1);
  }
  return workspaceIds.map((id) => {
    const number = next.get(id) ?? 0;
    next.set(id, number + 1);
    return number;
  });
}

/** The last number of a workspace; no row before its first message. */
export const lastNumber = defineStatement<{ id: string }, { last: number }[]>(
  'last-number',
  (db) => {
    const n = db.t.messageNumbers;
    return db
      .select({ last: n.last })
      .from(n)
      .where(eq(n.id, bind(n.id, 'id')));
  },
);

/** The last numbers of these workspaces. */
export const lastNumbers = (db: Db, workspaceIds: string[]) => {
  const n = db.t.messageNumbers;
  return db.select().from(n).where(db.among(n.id, workspaceIds));
};

export const removeNumbers = (db: Db, workspaceId: string) =>
  db
    .delete(db.t.messageNumbers)
    .where(eq(db.t.messageNumbers.id, workspaceId))
    .returning({ id: db.t.messageNumbers.id });
