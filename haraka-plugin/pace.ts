/**
 * How fast a client gets on. Haraka's own time limit begins anew with every byte, so that a client could
 * hold a connection for days with a byte now and then ("slow loris"). Times are monotonic milliseconds:
 * setting the clock must not make anybody slow.
 */
import type { Config } from '../core/config.js';

/** A mail has this long to arrive at any rate. */
const DATA_DEADLINE_MS = 30 * 60_000;
/** And this long a connection may go without getting a mail through. */
const IDLE_DEADLINE_MS = 30 * 60_000;
const LF = 0x0a;

/** The least that is asked for; see the README on `SMTP_MIN_DATA_RATE` and `SMTP_STALL_MS`. */
export type PaceLimits = Pick<Config['smtp'], 'minDataRate' | 'stallMs'>;

export interface Pace {
  /** Since the connection was opened, or the last mail ended. */
  since: number;
  /** Since a command line was begun that has not ended yet. */
  lineSince: number | null;
  /** While DATA is being read: since when, and the window of time in which the rate is measured. */
  data: { since: number; windowSince: number; windowBytes: number } | null;
}

export function beginPace(now: number): Pace {
  return { since: now, lineSince: null, data: null };
}

/** Notes bytes that have come, as commands or as DATA. */
export function noteBytes(pace: Pace, bytes: Buffer, now: number): void {
  if (pace.data) {
    pace.data.windowBytes += bytes.length;
    return;
  }
  const lf = bytes.lastIndexOf(LF);
  if (lf === bytes.length - 1) pace.lineSince = null;
  else if (lf >= 0 || pace.lineSince === null) pace.lineSince = now;
}

/** The client may send its mail from here on. */
export function beginData(pace: Pace, now: number): void {
  pace.lineSince = null;
  pace.data = { since: now, windowSince: now, windowBytes: 0 };
}

/** The final dot has been read. */
export function endData(pace: Pace, now: number): void {
  pace.since = now;
  pace.data = null;
}

/** Whether the client is too slow, at `now`; ends the window of measurement when it is over. */
export function isTooSlow(pace: Pace, { minDataRate, stallMs }: PaceLimits, now: number): boolean {
  const { data } = pace;
  if (!data) {
    if (pace.lineSince !== null && now - pace.lineSince > stallMs) return true;
    return now - pace.since > IDLE_DEADLINE_MS;
  }
  if (now - data.since > DATA_DEADLINE_MS) return true;
  const window = now - data.windowSince;
  if (window < stallMs) return false;
  const rate = (data.windowBytes * 1000) / window;
  data.windowSince = now;
  data.windowBytes = 0;
  return rate < minDataRate;
}
