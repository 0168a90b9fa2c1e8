/** What work costs the thread that runs it, on a machine that does other work too. */
import { PerformanceObserver } from 'node:perf_hooks';

/** CPU milliseconds of this thread during the work. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  return sum(process.threadCpuUsage(before));
}

interface Turn {
  from: number;
  to: number;
  cpu: number;
}

/** Shorter turns are not compared with the garbage collection. */
const LONG_MS = 5;
/** Shorter turns can count as one. */
const LOOK_MS = 1;

/**
 * CPU milliseconds of the longest turn of the event loop of this thread during the work, without
 * garbage collection.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const turns: Turn[] = [];
  const collections: { from: number; to: number }[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collections.push({ from: startTime, to: startTime + duration });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  let watching = true;
  let from = performance.now();
  let before = process.threadCpuUsage();
  const next = () => {
    const cpu = sum(process.threadCpuUsage(before));
    const to = performance.now();
    if (cpu > LONG_MS) turns.push({ from, to, cpu });
    from = to;
    before = process.threadCpuUsage();
    // The next look is in a later turn. One in each turn would keep an idle loop busy.
    if (watching) setTimeout(next, LOOK_MS);
  };
  setTimeout(next, LOOK_MS);
  try {
    await work();
  } finally {
    watching = false;
    next();
    // The observer is told of collections in a later turn.
    await new Promise((resolve) => setTimeout(resolve, 2));
    observer.disconnect();
  }
  return turns.reduce((most, turn) => Math.max(most, withoutCollection(turn, collections)), 0);
}

function withoutCollection(turn: Turn, collections: { from: number; to: number }[]): number {
  const collected = collections.map(({ from, to }) =>
    Math.max(0, Math.min(to, turn.to) - Math.max(from, turn.from)),
  );
  return turn.cpu - collected.reduce((all, one) => all + one, 0);
}

function sum({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** The least of some costs: what other work adds to one is not in all. */
export async function least(runs: number, cost: () => Promise<number>): Promise<number> {
  let found = Infinity;
  for (let run = 0; run < runs; run += 1) found = Math.min(found, await cost());
  return found;
}

/** CPU milliseconds that are not judged, since a clock cannot tell them from none. */
const FLOOR_MS = 4;
const FACTOR = 5;
/** How a suspicious reader is measured: the multiple of the input, and how often. */
const STAGES = [
  { times: 1, runs: 1 },
  { times: 2, runs: 2 },
  { times: 4, runs: 3 },
  { times: 8, runs: 5 },
];
/** Above it twice, more runs and further stages would tell nothing else. */
const CLEAR = { ms: 300, factor: 10 };

/**
 * Whether the cost of four times the input is more than five times the cost. What looks so is
 * measured again with more input and more often. One run that looks linear is enough, since other
 * work of the machine and the compiler disturb a short measurement, and make none cheaper.
 * @param cost CPU milliseconds for an input of these bytes, without those of every input
 * @returns the costs of the last run in words, or null if the cost is linear
 */
export async function growth(
  bytes: number,
  cost: (bytes: number) => Promise<number>,
): Promise<string | null> {
  if ((await cost(4 * bytes)) <= FLOOR_MS) return null;
  let found = '';
  let clear = 0;
  for (const { times, runs } of STAGES) {
    const size = times * bytes;
    for (let run = 0; run < runs; run += 1) {
      const small = Math.max(await cost(size), 0);
      const large = await cost(4 * size);
      if (large <= FACTOR * small + FLOOR_MS) return null;
      found = `${small.toFixed(1)} ms for ${size} bytes, ${large.toFixed(1)} ms for ${4 * size} bytes`;
      if (large > CLEAR.ms && large > CLEAR.factor * small) clear += 1;
      if (clear === 2) return found;
    }
  }
  return found;
}
