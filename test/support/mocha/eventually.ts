import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

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
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) {
      return value as Exclude<Value, undefined | null | false>;
    }
    if (Date.now() > end) throw new Error(`timed out after ${deadlineMs} ms waiting for ${what}`);
    await delay(pollMs);
  }
}
