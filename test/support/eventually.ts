import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

/** The first value of `look` that is neither undefined, null nor false, within a deadline. */
export async function eventually<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  deadlineMs = 10_000,
): Promise<Exclude<Value, undefined | null | false>> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) {
      return value as Exclude<Value, undefined | null | false>;
    }
    if (Date.now() > end) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await delay(POLL_MS);
  }
}
