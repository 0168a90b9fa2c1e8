/**
 * How fast a client gets on. Haraka's own time limit begins anew with every byte, so that a client could
 * hold a connection for days with a byte now and then ("slow loris"). Times are monotonic milliseconds:
 * setting the clock must not make anybody slow.
 *
 * A mail may pause: RFC 5321 section 4.5.3.2.6 lets a client take three minutes for one block of its data. So
 * that long, in all, is given to every mail on top of what its bytes may take at the least rate.
 */
import type { Config } from '../core/config.js';

const LF = 0x0a;

/** What is asked for, in milliseconds and bytes a second; 0 asks for nothing. See the README. */
export type PaceLimits = Pick<
  Config['smtp'],
  'minDataRate' | 'stallMs' | 'maxDataMs' | 'maxWithoutMailMs'
>;

export interface Pace {
  /** Since the connection was opened, or the last mail ended. */
  since: number;
  /** Since a command line was begun that has not ended yet. */
  lineSince: number | null;
  /** While DATA is being read: since when, and how much has come. */
  data: { since: number; bytes: number } | null;
}

export function beginPace(now: number): Pace {
  return { since: now, lineSince: null, data: null };
}

/** Notes bytes that have come, as commands or as DATA. */
export function noteBytes(pace: Pace, bytes: Buffer, now: number): void {
  if (pace.data) {
    pace.data.bytes += bytes.length;
    return;
  }
  const lf = bytes.lastIndexOf(LF);
  if (lf === bytes.length - 1) pace.lineSince = null;
  else if (lf >= 0 || pace.lineSince === null) pace.lineSince = now;
}

/** The client may send its mail from here on. */
export function beginData(pace: Pace, now: number): void {
  pace.lineSince = null;
  pace.data = { since: now, bytes: 0 };
}

/** The final dot has been read. */
export function endData(pace: Pace, now: number): void {
  pace.since = now;
  pace.data = null;
}

/** Whether the client is too slow, at `now`. */
export function isTooSlow(pace: Pace, limits: PaceLimits, now: number): boolean {
  const { minDataRate, stallMs, maxDataMs, maxWithoutMailMs } = limits;
  const { data, lineSince } = pace;
  if (!data) {
    return (
      (lineSince !== null && now - lineSince > stallMs) ||
      isOver(now - pace.since, maxWithoutMailMs)
    );
  }
  const elapsed = now - data.since;
  const isBelowRate = minDataRate > 0 && elapsed > stallMs + (data.bytes * 1000) / minDataRate;
  return isBelowRate || isOver(elapsed, maxDataMs);
}

function isOver(elapsed: number, limit: number): boolean {
  return limit > 0 && elapsed > limit;
}
