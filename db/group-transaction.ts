/** Runs short transactions that are ready at the same time as one, with one fsync. */
import { openGroupCommit } from './group-commit.ts';
import type { Body, Db, Store } from './store.ts';

const MAX_BODIES = 200;

export interface GroupTransaction {
  /**
   * Runs the body in a shared transaction and resolves after the commit. The body can run more than
   * once. @throws {DatabaseUnavailable}
   */
  run: <Result>(body: (tx: Db) => Body<Result>) => Promise<Result>;
}

export function openGroupTransaction(store: Store): GroupTransaction {
  const group = openGroupCommit<(tx: Db) => Body<unknown>, unknown>({
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
    run: <Result>(body: (tx: Db) => Body<Result>) => group.add(body) as Promise<Result>,
  };
}
