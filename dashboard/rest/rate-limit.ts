/**
 * Paces background requests by the rate limit of the workspace, which all its API clients share.
 */
const MIN_GAP_MS = 300;
/** Requests reserved for user actions. */
const RESERVE = 25;

let remaining = Infinity;
let resetsAt = 0;

/** Parses `RateLimit: "workspace";r=87;t=42`. */
export function noteRateLimit(header: string | null): void {
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
