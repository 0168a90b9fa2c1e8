/** Limits concurrent work by weight, in the order of priority, and then of the calls. */

export interface WeightedSemaphore {
  /**
   * Runs the work once its weight fits. Work heavier than the capacity runs alone. Work with a
   * lower `priority` number begins first. Work that has not begun when `signal` aborts, or that is
   * given an aborted one, is rejected with its reason.
   */
  runExclusive: <Result>(
    weight: number,
    work: () => Promise<Result>,
    options?: { priority?: number; signal?: AbortSignal },
  ) => Promise<Result>;
}

export function openWeightedSemaphore(capacity: number): WeightedSemaphore {
  const waiting: { weight: number; priority: number; start: () => void }[] = [];
  let held = 0;

  const admit = () => {
    let [next] = waiting;
    while (next && (held === 0 || held + next.weight <= capacity)) {
      waiting.shift();
      held += next.weight;
      next.start();
      [next] = waiting;
    }
  };

  return {
    async runExclusive(weight, work, { priority = 0, signal } = {}) {
      signal?.throwIfAborted();
      await new Promise<void>((start, fail) => {
        const before = waiting.findLastIndex((other) => other.priority <= priority);
        const abandon = () => {
          waiting.splice(waiting.indexOf(entry), 1);
          fail(signal?.reason as Error);
          admit();
        };
        const begin = () => {
          signal?.removeEventListener('abort', abandon);
          start();
        };
        const entry = { weight, priority, start: begin };
        waiting.splice(before + 1, 0, entry);
        signal?.addEventListener('abort', abandon);
        admit();
      });
      try {
        return await work();
      } finally {
        held -= weight;
        admit();
      }
    },
  };
}
