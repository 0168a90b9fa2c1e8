/** Limits concurrent work by weight, in the order of priority, and then of the calls. */

export interface WeightedSemaphore {
  /**
   * Runs the work once its weight fits. Work heavier than the capacity runs alone. Work with a
   * lower `priority` number begins first. Work that has not begun when `signal` aborts is rejected
   * with its reason.
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
      await new Promise<void>((start, fail) => {
        const before = waiting.findLastIndex((other) => other.priority <= priority);
        const entry = { weight, priority, start };
        waiting.splice(before + 1, 0, entry);
        signal?.addEventListener('abort', () => {
          const at = waiting.indexOf(entry);
          if (at < 0) return;
          waiting.splice(at, 1);
          fail(signal.reason as Error);
          admit();
        });
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
