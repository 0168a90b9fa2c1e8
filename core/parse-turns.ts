/**
 * Turns at parsing. Each mail that is parsed beside others does a little work in every turn of the event
 * loop, so what bounds a turn is how much is being parsed at once. It is counted in bytes, and a byte of
 * header for many: parsing addresses and parameters costs that much more.
 */
const BYTES_AT_ONCE = 1024 * 1024;
const HEADER_FACTOR = 8;

/** What a mail counts for, by its size and the size of its header. */
export function parseWeight(bytes: number, headerBytes: number): number {
  return bytes + headerBytes * (HEADER_FACTOR - 1);
}

export interface ParseTurns {
  /** Does the work when it is its turn, in the order of the calls. */
  take: <Result>(weight: number, work: () => Promise<Result>) => Promise<Result>;
}

export function openParseTurns(weightAtOnce = BYTES_AT_ONCE): ParseTurns {
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
