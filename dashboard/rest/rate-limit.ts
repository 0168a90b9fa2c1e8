/**
 * Paces background requests by the rate limit of the workspace, which all its API clients share.
 */
import { signal } from '@preact/signals';

const MIN_GAP_MS = 300;
/** Requests reserved for user actions. */
const RESERVE = 25;
const DEFAULT_RETRY_SECONDS = 5;

let remaining = Infinity;
let resetsAt = 0;

/** Parses `RateLimit: "workspace";r=87;t=42`. */
export function recordRateLimit(header: string | null): void {
  const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(header ?? '') ?? [];
  if (left === undefined) return;
  remaining = Number(left);
  resetsAt = Date.now() + Number(seconds) * 1000;
}

/** Milliseconds between two background requests that stay within the limit. */
export function refreshGap(): number {
  const left = resetsAt - Date.now();
  if (left <= 0 || remaining > 3 * RESERVE) return MIN_GAP_MS;
  return Math.max(MIN_GAP_MS, left / Math.max(1, remaining - RESERVE));
}

/**
 * Returns a function that runs `work` at once, then at most once per gap, never concurrently. A
 * call during the gap runs `work` at its end.
 */
export function coalesce(work: () => Promise<unknown>, gap: () => number): () => void {
  let running = false;
  let turns = 0;
  const run = async () => {
    running = true;
    for (let done = 0; done !== turns;) {
      done = turns;
      await work().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, gap()));
    }
    running = false;
  };
  return () => {
    turns += 1;
    if (!running) void run();
  };
}

/** Time in ms since 1970 at which requests continue after a 429; null if none is waiting. */
export const waitingUntil = signal<number | null>(null);

let waiting: Promise<void> | null = null;

/** Resolves after the `Retry-After` of a 429 response. Concurrent requests share one wait. */
export function waitForRetry(response: Response): Promise<void> {
  waiting ??= wait(Number(response.headers.get('Retry-After')) || DEFAULT_RETRY_SECONDS);
  return waiting;
}

async function wait(seconds: number): Promise<void> {
  const ms = seconds * 1000 + Math.random() * 500;
  waitingUntil.value = Date.now() + ms;
  await new Promise((resolve) => setTimeout(resolve, ms));
  waitingUntil.value = null;
  waiting = null;
}
