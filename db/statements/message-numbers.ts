/**
 * The numbers of messages, which count those of a workspace in the order of their commits. The
 * transaction that stores messages holds the row of its workspace until the commit. Therefore a
 * message whose number is up to the last one is visible to whoever reads that number.
 */
import { eq, inArray, sql } from 'drizzle-orm';
import { type Body, type Db, bind, defineStatement, run, step } from '../store.ts';

interface Raise extends Record<string, unknown> {
  id: string;
  /** How many numbers are taken. */
  last: number;
}

const raise = (db: Db, values: { id: unknown; last: unknown }[]) => {
  const n = db.t.messageNumbers;
  return db
    .insert(n)
    .values(values as Raise[])
    .onConflictDoUpdate({ target: n.id, set: { last: sql`${n.last} + excluded.last` } })
    .returning({ id: n.id, last: n.last });
};

const raiseOne = defineStatement<Raise, { id: string; last: number }[]>('raise-number', (db) => {
  const n = db.t.messageNumbers;
  return raise(db, [{ id: bind(n.id, 'id'), last: bind(n.last, 'last') }]);
});

const ROWS_PER_STATEMENT = 500;

/**
 * Takes the next numbers of these workspaces, one for each place in the list. The rows are locked
 * in the order of their ids, so that two transactions cannot wait for each other.
 */
export function* nextNumbers(tx: Db, workspaceIds: string[]): Body<number[]> {
  const counts = new Map<string, number>();
  for (const id of workspaceIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  const wanted = [...counts].map(([id, last]) => ({ id, last }));
  wanted.sort((a, b) => (a.id < b.id ? -1 : 1));
  const next = new Map<string, number>();
  for (let from = 0; from < wanted.length; from += ROWS_PER_STATEMENT) {
    const some = wanted.slice(from, from + ROWS_PER_STATEMENT);
    const [first] = some;
    const raised =
      first && some.length === 1 ? yield* run(raiseOne, first) : yield* step(raise(tx, some));
    for (const { id, last } of raised) next.set(id, last - (counts.get(id) ?? 0) + 1);
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
  return db.select().from(n).where(inArray(n.id, workspaceIds));
};

export const removeNumbers = (db: Db, workspaceId: string) =>
  db
    .delete(db.t.messageNumbers)
    .where(eq(db.t.messageNumbers.id, workspaceId))
    .returning({ id: db.t.messageNumbers.id });
