import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 150;

/** Resolves to whether the condition became true in time. */
export async function until(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) return false;
    await delay(POLL_MS);
  }
  return true;
}
