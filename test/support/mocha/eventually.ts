import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

/**
 * The first value of `look` that is neither undefined, null nor false, within a deadline. What is costly to
 * look at is looked at less often.
 */
export async function eventually<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  deadlineMs = 30_000,
  pollMs = POLL_MS,
): Promise<Exclude<Value, undefined | null | false>> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) {
      return value as Exclude<Value, undefined | null | false>;
    }
    if (Date.now() > end) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await delay(pollMs);
  }
}
