/** Turns at work that weighs on a process: only so much of it goes on at once, in the order of asking. */

export interface Turns {
  /** Does the work when it is its turn. What weighs more than all that is allowed goes alone. */
  take: <Result>(weight: number, work: () => Promise<Result>) => Promise<Result>;
}

export function openTurns(weightAtOnce: number): Turns {
  const waiting: { weight: number; begin: () => void }[] = [];
  let underWay = 0;

  const admit = () => {
    let [next] = waiting;
    while (next && (underWay === 0 || underWay + next.weight <= weightAtOnce)) {
      waiting.shift();
      underWay += next.weight;
      next.begin();
      [next] = waiting;
    }
  };

  return {
    async take(weight, work) {
      await new Promise<void>((begin) => {
        waiting.push({ weight, begin });
        admit();
      });
      try {
        return await work();
      } finally {
        underWay -= weight;
        admit();
      }
    },
  };
}
