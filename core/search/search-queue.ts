/**
 * Limits the searches that run at the same time in a process, because they share its event loop
 * with all other requests. The next one is that of the workspace with the least searches and search
 * time.
 */
import { openFairQueue } from '../limits/fair-queue.ts';

/** @param workspaceId the owner of the search */
export type SearchQueue = <Result>(
  workspaceId: string,
  search: () => Promise<Result>,
) => Promise<Result>;

const AT_ONCE = 4;

export function openSearchQueue(atOnce = AT_ONCE): SearchQueue {
  const queue = openFairQueue<() => Promise<void>>();
  let free = atOnce;

  const startNext = () => {
    const next = free > 0 ? queue.next(() => true) : undefined;
    if (!next) return;
    queue.start(next);
    free -= 1;
    const began = performance.now();
    void next.item().finally(() => {
      free += 1;
      queue.end(next.owner, performance.now() - began);
      startNext();
    });
  };

  return (owner, search) =>
    new Promise((resolve, reject) => {
      queue.add({ owner, size: 1, item: () => search().then(resolve, reject) });
      startNext();
    });
}
