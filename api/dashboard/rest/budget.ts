/** How fast we may ask: a workspace has so many requests a minute, and others of it want some, too. */
const FASTEST_MS = 300;
/** Kept for what a person asks for. */
const RESERVE = 25;

let remaining = Infinity;
let resetsAt = 0;

/** Reads `RateLimit: "workspace";r=87;t=42`. */
export function noteBudget(header: string | null): void {
  const [, left, seconds] = /r=(\d+);t=(\d+)/.exec(header ?? '') ?? [];
  if (left === undefined) return;
  remaining = Number(left);
  resetsAt = Date.now() + Number(seconds) * 1000;
}

/** How long to wait between two requests that nobody asked for, so that the budget lasts; in ms. */
export function refreshGap(): number {
  const left = resetsAt - Date.now();
  if (left <= 0 || remaining > 3 * RESERVE) return FASTEST_MS;
  return Math.max(FASTEST_MS, left / Math.max(1, remaining - RESERVE));
}
