/**
 * Group commit: items that are ready at the same time share one transaction and its one fsync. The
 * promise of each caller settles only after the commit that contains its item.
 */
import { DatabaseUnavailable } from './errors.ts';
import type { Transaction, Db, Store } from './store.ts';

/** Transactions that share one, at most. */
const MAX_BODIES = 200;

export interface GroupCommit<Item, Result> {
  add: (item: Item) => Promise<Result>;
}

export interface GroupCommitOptions<Item, Result> {
  /** Commits all items or none. The results are in the order of the items. */
  commit: (items: Item[]) => Promise<Result[]>;
  /** Size of an item in bytes. */
  weigh: (item: Item) => number;
  maxItems: number;
  maxBytes: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * If the commit of a group fails, its items are committed one by one, so that a bad item rejects
 * only its own caller.
 */
export function openGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = false;

  const settle = async (group: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await options.commit(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      // If the database is unreachable, every item would fail after the same wait.
      if (group.length > 1 && !(error instanceof DatabaseUnavailable)) {
        for (const one of group) await settle([one]);
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  };

  const drain = async () => {
    while (waiting.length > 0) {
      await settle(waiting.splice(0, groupLength(waiting, options)));
    }
    running = false;
  };

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (running) return;
        running = true;
        setImmediate(() => void drain());
      }),
  };
}

/** Number of leading items that fit in one group; at least one. */
function groupLength<Item>(
  waiting: readonly { item: Item }[],
  { weigh, maxItems, maxBytes }: Omit<GroupCommitOptions<Item, unknown>, 'commit'>,
): number {
  const most = Math.min(waiting.length, maxItems);
  let bytes = 0;
  for (let count = 0; count < most; count += 1) {
    const next = waiting[count];
    bytes += next ? weigh(next.item) : 0;
    if (count > 0 && bytes > maxBytes) return count;
  }
  return most;
}

export interface GroupTransaction {
  /**
   * Runs the body in a shared transaction and resolves after the commit. The body can run more than
   * once. @throws {DatabaseUnavailable}
   */
  run: <Result>(body: (tx: Db) => Transaction<Result>) => Promise<Result>;
}

/** Runs short transactions that are ready at the same time as one. */
export function openGroupTransaction(store: Store): GroupTransaction {
  const group = openGroupCommit<(tx: Db) => Transaction<unknown>, unknown>({
    commit: (bodies) =>
      store.transaction(function* (tx) {
        const results: unknown[] = [];
        for (const body of bodies) results.push(yield* body(tx));
        return results;
      }),
    weigh: () => 1,
    maxItems: MAX_BODIES,
    maxBytes: MAX_BODIES,
  });
  return {
    run: <Result>(body: (tx: Db) => Transaction<Result>) => group.add(body) as Promise<Result>,
  };
}
