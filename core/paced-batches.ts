/**
 * Removal in batches, beside intake. A batch holds the database's one write lock, and on SQLite the event
 * loop, so its size follows from how long the last one took: a row may stand for a hundred bytes or for a
 * megabyte. Between two batches there is a pause, in which writers of other processes find the lock free.
 */
import { setTimeout as delay } from 'node:timers/promises';

const TARGET_MS = 20;
const FIRST = 20;
const SMALLEST = 5;
const LARGEST = 1000;
/** Of the time of a batch; who waits for the lock looks every few milliseconds. */
const PAUSE = 0.4;
const SHORTEST_PAUSE_MS = 2;

/** Calls `remove` until it removes less than it may; resolves to how much that was. */
export async function inPacedBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  let limit = FIRST;
  for (;;) {
    const began = performance.now();
    const count = await remove(limit);
    const took = performance.now() - began;
    total += count;
    if (count < limit) return total;
    limit = nextLimit(limit, took);
    await delay(Math.max(SHORTEST_PAUSE_MS, took * PAUSE));
  }
}

/** Grows by no more than double, since the rows to come may be larger. */
function nextLimit(limit: number, tookMs: number): number {
  const fitting = Math.round(limit * Math.min(2, TARGET_MS / Math.max(tookMs, 0.1)));
  return Math.min(LARGEST, Math.max(SMALLEST, fitting));
}
