/** The retry schedule of failed deliveries. */
import type { DeliveryRow } from '../../db/statements/deliveries.ts';
import type { Config } from '../config/config.ts';

type Schedule = Pick<Config['webhooks'], 'retrySchedule' | 'honorRetryAfter'>;

export interface AttemptFailure {
  statusCode: number | null;
  retryAfterMs: number | null;
}

/**
 * Milliseconds from the end of the `failures`-th failure to the next attempt, or null if there is
 * none: redeliveries and test events have one attempt. If enabled, Retry-After of a 429 or 503
 * extends the delay to at most twice its length.
 */
export function nextDelay(
  { retrySchedule, honorRetryAfter }: Schedule,
  trigger: DeliveryRow['trigger'],
  failures: number,
  { statusCode, retryAfterMs }: AttemptFailure,
): number | null {
  const base = trigger === 'event' ? retrySchedule[failures - 1] : undefined;
  if (base === undefined) return null;
  const isAsked = honorRetryAfter && (statusCode === 429 || statusCode === 503);
  return isAsked && retryAfterMs !== null ? clamp(retryAfterMs, base, 2 * base) : base;
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
