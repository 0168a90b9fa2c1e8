import { readFileSync } from 'node:fs';
import { type Tree, readTree } from './process-tree.ts';

const TICK_MS = 1000;
/** A tick that is later than this was held up. */
const LATE_MS = 1500;
/** A process that polls does not rest, but waits. */
const MAX_CPU_SHARE = 0.25;

export interface Look {
  readonly atMs: number;
  /** CPU time of the process, and time in which its main thread was ready to run and did not. */
  readonly wantedMs: number;
  /** Null if the process has worked since the look before: then nothing else counts. */
  readonly tree: Pick<Tree, 'seconds' | 'isBusy'> | null;
}

/**
 * The time between two looks if the process and all below it only waited, or 0. A process that
 * wants the processor and does not get it does not wait, so that load of the machine does not
 * count.
 */
export function waitBetween(before: Look, { atMs, tree }: Look): number {
  const elapsed = atMs - before.atMs;
  if (!tree || tree.isBusy || !before.tree || elapsed > LATE_MS) return 0;
  const taken = (tree.seconds - before.tree.seconds) * 1000;
  return taken < elapsed * MAX_CPU_SHARE ? elapsed : 0;
}

/** Looks each second, and reports the milliseconds of each wait. */
export function watchWaits(report: (milliseconds: number) => void): void {
  let before = look(null);
  setInterval(() => {
    const now = look(before);
    report(waitBetween(before, now));
    before = now;
  }, TICK_MS).unref();
}

function look(before: Look | null): Look {
  const { user, system } = process.cpuUsage();
  const [atMs, wantedMs] = [performance.now(), (user + system) / 1000 + runDelayMs()];
  const wanted = before ? (wantedMs - before.wantedMs) / (atMs - before.atMs) : 1;
  return { atMs, wantedMs, tree: wanted < MAX_CPU_SHARE ? readTree(process.pid) : null };
}

function runDelayMs(): number {
  try {
    const [, nanoseconds] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0; // this kernel does not count it
  }
}
