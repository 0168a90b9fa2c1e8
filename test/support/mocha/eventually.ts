import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;
/** A long wait is delayed by at most a tenth: each look costs CPU time, often of a product. */
const SHARE = 0.1;
const MAX_POLL_MS = 200;

/**
 * Calls `look` repeatedly and returns its first value that is not undefined, null or false.
 * Expensive calls use a longer `pollMs`.
 * @throws after `deadlineMs`.
 */
export async function eventually<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  deadlineMs = 60_000,
  pollMs = POLL_MS,
): Promise<Exclude<Value, undefined | null | false>> {
  const start = Date.now();
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) {
      return value as Exclude<Value, undefined | null | false>;
    }
    const waited = Date.now() - start;
    if (waited > deadlineMs)
      throw new Error(`timed out after ${deadlineMs} ms waiting for ${what}`);
    await delay(Math.max(pollMs, Math.min(waited * SHARE, MAX_POLL_MS)));
  }
}
