import { signal } from '@preact/signals';

const DEFAULT_SECONDS = 5;

/** Time in ms since 1970 at which requests continue after a 429; null if none is waiting. */
export const waitingUntil = signal<number | null>(null);

let waiting: Promise<void> | null = null;

/** Resolves after the `Retry-After` of a 429 response. Concurrent requests share one wait. */
export function waitForRetry(response: Response): Promise<void> {
  waiting ??= wait(Number(response.headers.get('Retry-After')) || DEFAULT_SECONDS);
  return waiting;
}

async function wait(seconds: number): Promise<void> {
  const ms = seconds * 1000 + Math.random() * 500;
  waitingUntil.value = Date.now() + ms;
  await new Promise((resolve) => setTimeout(resolve, ms));
  waitingUntil.value = null;
  waiting = null;
}
