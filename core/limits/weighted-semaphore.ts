/** Limits concurrent work by weight, in the order of priority, and then of the calls. */

export interface WeightedSemaphore {
  /**
   * Runs the work once its weight fits. Work heavier than the capacity runs alone. Work with a
   * lower `priority` number begins first.
   */
  runExclusive: <Result>(
    weight: number,
    work: () => Promise<Result>,
    priority?: number,
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
    async runExclusive(weight, work, priority = 0) {
      await new Promise<void>((start) => {
        const before = waiting.findLastIndex((other) => other.priority <= priority);
        waiting.splice(before + 1, 0, { weight, priority, start });
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
