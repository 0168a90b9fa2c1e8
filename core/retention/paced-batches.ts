/**
 * Removes rows in batches beside intake. On SQLite, a batch holds the write lock of the database
 * and the event loop, so its size is derived from the duration of the previous one: a row can have
 * a hundred bytes or a megabyte. During the pause between two batches, other processes can write.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '../../db/store.ts';

const FIRST_BATCH = 20;
const MIN_BATCH = 5;
const MAX_BATCH = 1000;
/** Pause relative to the duration of a batch; a waiting writer retries every few milliseconds. */
const PAUSE_RATIO = 0.4;
/** For removals that are not urgent: the lock is free for three quarters of the time. */
export const LONG_PAUSE_RATIO = 3;
const MIN_PAUSE_MS = 2;

/** The result of one batch. */
export interface Batch {
  count: number;
  /** Milliseconds for which the lock was held, without the wait for it. */
  heldMs: number;
}

/**
 * Calls `remove` until it removes less than its limit; resolves to the total.
 * @param targetMs duration that a batch should have: `batchMs` of the store.
 */
export async function inPacedBatches(
  targetMs: number,
  remove: (limit: number) => Promise<Batch>,
  pause = PAUSE_RATIO,
): Promise<number> {
  let total = 0;
  let limit = FIRST_BATCH;
  for (;;) {
    const { count, heldMs } = await remove(limit);
    total += count;
    if (count < limit) return total;
    limit = nextLimit(limit, heldMs, targetMs);
    await delay(Math.max(MIN_PAUSE_MS, heldMs * pause));
  }
}

/** Runs the body of a transaction and adds the milliseconds for which it held the lock. */
export function* timed<Result>(
  body: Transaction<Result>,
): Transaction<Result & { heldMs: number }> {
  const began = performance.now();
  const result = yield* body;
  return { ...result, heldMs: performance.now() - began };
}

/** At most doubles the limit, because the next rows can be larger. */
function nextLimit(limit: number, heldMs: number, targetMs: number): number {
  const fitting = Math.round(limit * Math.min(2, targetMs / Math.max(heldMs, 0.1)));
  return Math.min(MAX_BATCH, Math.max(MIN_BATCH, fitting));
}
