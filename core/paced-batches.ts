/**
 * Removal in batches, beside intake. A batch holds the database's one write lock, and on SQLite the event
 * loop, so its size follows from how long the last one took: a row may stand for a hundred bytes or for a
 * megabyte. Between two batches there is a pause, in which writers of other processes find the lock free.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Body } from '../db/store.js';

const TARGET_MS = 25;
const FIRST = 20;
const SMALLEST = 5;
const LARGEST = 1000;
/** Of the time of a batch; who waits for the lock looks every few milliseconds. */
const PAUSE = 0.4;
/** The same where nobody waits for the end: three quarters of the time are for others. */
export const LONG_PAUSE = 3;
const SHORTEST_PAUSE_MS = 2;

/** What became of one batch. */
export interface Batch {
  count: number;
  /** How long the lock was held; waiting for it does not count, or the busier the database the smaller the batch. */
  heldMs: number;
}

/** Calls `remove` until it removes less than it may; resolves to how much that was. */
export async function inPacedBatches(
  remove: (limit: number) => Promise<Batch>,
  pause = PAUSE,
): Promise<number> {
  let total = 0;
  let limit = FIRST;
  for (;;) {
    const { count, heldMs } = await remove(limit);
    total += count;
    if (count < limit) return total;
    limit = nextLimit(limit, heldMs);
    await delay(Math.max(SHORTEST_PAUSE_MS, heldMs * pause));
  }
}

/** Runs the body of a transaction, and says how long that took from the moment it had the lock. */
export function* timed<Result>(body: Body<Result>): Body<Result & { heldMs: number }> {
  const began = performance.now();
  const result = yield* body;
  return { ...result, heldMs: performance.now() - began };
}

/** Grows by no more than double, since the rows to come may be larger. */
function nextLimit(limit: number, heldMs: number): number {
  const fitting = Math.round(limit * Math.min(2, TARGET_MS / Math.max(heldMs, 0.1)));
  return Math.min(LARGEST, Math.max(SMALLEST, fitting));
}
