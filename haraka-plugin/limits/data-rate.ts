/**
 * Minimum data rate of a client. Every byte resets Haraka's own timeout, so a client could hold a
 * connection for days with a few bytes (slow loris). Times are monotonic milliseconds, because a
 * clock change must not make a client slow.
 *
 * A client may pause: RFC 5321 section 4.5.3.2.6 allows three minutes for one block of data. Each
 * mail has that time in total, in addition to the time for its bytes at the minimum rate.
 */
import type { Config } from '../../core/config/config.ts';

const LF = 0x0a;

/** In milliseconds and bytes per second; 0 for no limit. */
export type DataRateLimits = Pick<
  Config['smtp'],
  'minDataRate' | 'stallMs' | 'maxDataMs' | 'maxWithoutMailMs'
>;

export interface DataRate {
  /** Time of the connect or of the end of the last mail. */
  since: number;
  /** Start of an incomplete command line. */
  lineSince: number | null;
  /** During DATA: start time and bytes received. */
  data: { since: number; bytes: number } | null;
}

export function startDataRate(now: number): DataRate {
  return { since: now, lineSince: null, data: null };
}

/** Counts received bytes of commands or DATA. */
export function countBytes(rate: DataRate, bytes: Buffer, now: number): void {
  if (rate.data) {
    rate.data.bytes += bytes.length;
    return;
  }
  const lf = bytes.lastIndexOf(LF);
  if (lf === bytes.length - 1) rate.lineSince = null;
  else if (lf >= 0 || rate.lineSince === null) rate.lineSince = now;
}

/** Starts the measurement of DATA. */
export function beginData(rate: DataRate, now: number): void {
  rate.lineSince = null;
  rate.data = { since: now, bytes: 0 };
}

/** Ends the measurement of DATA at the final dot. */
export function endData(rate: DataRate, now: number): void {
  rate.since = now;
  rate.data = null;
}

/** Whether the client is too slow at `now`. */
export function isTooSlow(rate: DataRate, limits: DataRateLimits, now: number): boolean {
  const { minDataRate, stallMs, maxDataMs, maxWithoutMailMs } = limits;
  const { data, lineSince } = rate;
  if (!data) {
    return (
      (lineSince !== null && now - lineSince > stallMs) ||
      isOver(now - rate.since, maxWithoutMailMs)
    );
  }
  const elapsed = now - data.since;
  const isBelowRate = minDataRate > 0 && elapsed > stallMs + (data.bytes * 1000) / minDataRate;
  return isBelowRate || isOver(elapsed, maxDataMs);
}

function isOver(elapsed: number, limit: number): boolean {
  return limit > 0 && elapsed > limit;
}
