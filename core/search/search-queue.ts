/**
 * Limits the searches that run at the same time in a process, because they share its event loop
 * with all other requests. A search gets the turn after the last one of its workspace, or after the
 * one that began last if that is later, so that no workspace delays another by more than one turn.
 */

/** @param workspaceId the owner of the search */
export type SearchQueue = <Result>(
  workspaceId: string,
  search: () => Promise<Result>,
) => Promise<Result>;

const AT_ONCE = 4;

export function openSearchQueue(): SearchQueue {
  const waiting: { turn: number; run: () => Promise<void> }[] = [];
  const lastTurns = new Map<string, number>();
  let begun = 0;
  let free = AT_ONCE;

  const startNext = () => {
    const next = free > 0 ? waiting.shift() : undefined;
    if (waiting.length === 0) lastTurns.clear();
    if (!next) return;
    begun = next.turn;
    free -= 1;
    void next.run().finally(() => {
      free += 1;
      startNext();
    });
  };

  return (owner, search) =>
    new Promise((resolve, reject) => {
      const turn = Math.max(begun, lastTurns.get(owner) ?? 0) + 1;
      lastTurns.set(owner, turn);
      const after = waiting.findLastIndex((other) => other.turn <= turn);
      waiting.splice(after + 1, 0, { turn, run: () => search().then(resolve, reject) });
      startNext();
    });
}
