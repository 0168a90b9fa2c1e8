import { signal } from '@preact/signals';

const DEFAULT_SECONDS = 5;

/** Until when requests wait, because the workspace has used up those of this minute; null when none does. */
export const waitingUntil = signal<number | null>(null);

let waiting: Promise<void> | null = null;

/** Resolves when the time that a 429 asks for is over; all requests share one wait. */
export function waitOut(response: Response): Promise<void> {
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
