import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, ProcessName } from '../harness/bench.ts';

const PROCESSES: ProcessName[] = ['web', 'worker', 'smtp', 'redis'];
const WAYS = ['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const;
const MIN_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 20_000;
const MAX_STANDSTILL_MS = 6000;

/**
 * Kills, stops or suspends one of the processes every 10 to 20 s until `isOver`, and counts each
 * action.
 */
export async function killAtRandom(
  bench: Bench,
  counts: Map<string, number>,
  isOver: () => boolean,
): Promise<void> {
  for (;;) {
    const nextAt = Date.now() + between(MIN_PAUSE_MS, MAX_PAUSE_MS);
    while (Date.now() < nextAt) {
      if (isOver()) return;
      await delay(100);
    }
    const name = anyOf(PROCESSES);
    const how = anyOf(WAYS);
    counts.set(`${name} ${how}`, (counts.get(`${name} ${how}`) ?? 0) + 1);
    if (how === 'SIGSTOP') {
      bench.product().kill(name, 'SIGSTOP');
      await delay(between(500, MAX_STANDSTILL_MS));
      bench.product().kill(name, 'SIGCONT');
    } else {
      await bench.kill(name, how);
    }
  }
}

function between(from: number, to: number): number {
  return from + Math.random() * (to - from);
}

function anyOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)]!;
}
