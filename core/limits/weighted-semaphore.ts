/** Limits concurrent work by weight, in the order of the calls. */

export interface WeightedSemaphore {
  /** Runs the work once its weight fits. Work heavier than the capacity runs alone. */
  runExclusive: <Result>(weight: number, work: () => Promise<Result>) => Promise<Result>;
}

export function openWeightedSemaphore(capacity: number): WeightedSemaphore {
  const waiting: { weight: number; start: () => void }[] = [];
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
    async runExclusive(weight, work) {
      await new Promise<void>((start) => {
        waiting.push({ weight, start });
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
