/**
 * The data rate of a client. Haraka's own time limit starts again with every byte, so a client could
 * hold a connection for days with a few bytes ("slow loris"). Times are monotonic milliseconds:
 * setting the clock must not make a client slow.
 *
 * A mail may pause: RFC 5321 section 4.5.3.2.6 lets a client take three minutes for one block of its data. Every
 * mail has that time, in all, on top of the time of its bytes at the minimum rate.
 */
import type { Config } from '../../core/config/config.js';

const LF = 0x0a;

/** In milliseconds and bytes a second; 0 for no limit. See docs/configuration.md. */
export type DataRateLimits = Pick<
  Config['smtp'],
  'minDataRate' | 'stallMs' | 'maxDataMs' | 'maxWithoutMailMs'
>;

export interface DataRate {
  /** Since the connection was opened, or the last mail ended. */
  since: number;
  /** The start of a command line that has not ended yet. */
  lineSince: number | null;
  /** While DATA is read: its start, and the bytes received. */
  data: { since: number; bytes: number } | null;
}

export function startDataRate(now: number): DataRate {
  return { since: now, lineSince: null, data: null };
}

/** Counts received bytes, of commands or of DATA. */
export function countBytes(rate: DataRate, bytes: Buffer, now: number): void {
  if (rate.data) {
    rate.data.bytes += bytes.length;
    return;
  }
  const lf = bytes.lastIndexOf(LF);
  if (lf === bytes.length - 1) rate.lineSince = null;
  else if (lf >= 0 || rate.lineSince === null) rate.lineSince = now;
}

/** The client may send its mail from here on. */
export function beginData(rate: DataRate, now: number): void {
  rate.lineSince = null;
  rate.data = { since: now, bytes: 0 };
}

/** The final dot has been read. */
export function endData(rate: DataRate, now: number): void {
  rate.since = now;
  rate.data = null;
}

/** Whether the client is too slow, at `now`. */
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
