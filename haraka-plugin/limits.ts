/**
 * Limits of SMTP connections: their number per address, the slowest allowed client, and the time to
 * end at shutdown.
 *
 * Every byte resets Haraka's own timeout, so a client could hold a connection for days with a few
 * bytes (slow loris). The limit is therefore a minimum data rate. Times are monotonic milliseconds,
 * because a clock change must not make a client slow.
 *
 * A client may pause: RFC 5321 section 4.5.3.2.6 allows three minutes for one block of data. Each
 * mail has that time in total, in addition to the time for its bytes at the minimum rate.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../core/config/config.ts';
import { addressGroup } from '../core/limits/rate-limit.ts';
import { closingDown, replyText, tooSlow } from './replies.ts';

/**
 * Time limit at shutdown for a client in DATA: longer than a reply takes, shorter than the limit
 * for the shutdown.
 */
const DATA_GRACE_MS = 22_000;
/** Time limit at shutdown for a client between MAIL and DATA. */
const TRANSACTION_GRACE_MS = 5_000;
const DRAIN_POLL_MS = 20;
/** Time limit for a client to close its side after the server has closed its own. */
const LINGER_MS = 5_000;
const LF = 0x0a;

export interface ConnectionLimits {
  /** Counts a new connection. Returns false if its address has reached the limit. */
  open: (connection: Haraka.Connection) => boolean;
  closed: (connection: Haraka.Connection) => void;
  /** The number of open connections. */
  count: () => number;
  /** True during shutdown: new mail is rejected. */
  isDraining: () => boolean;
  /** Closes connections that are too slow at `now` (monotonic milliseconds). */
  dropSlow: (now: number) => void;
  /** Closes every connection with 421 (RFC 5321 section 3.8), those in DATA after their reply. */
  drain: () => Promise<void>;
}

/** In milliseconds and bytes per second; 0 for no limit. */
type DataRateLimits = Pick<
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

type Limits = Pick<Config['smtp'], 'maxConnectionsPerIp'> & DataRateLimits;

export function openConnectionLimits(limits: Limits): ConnectionLimits {
  const { maxConnectionsPerIp } = limits;
  const connections = new Set<Haraka.Connection>();
  const perAddress = new Map<string, number>();
  let draining = false;

  return {
    open(connection) {
      const address = addressGroup(connection.remote.ip);
      const count = (perAddress.get(address) ?? 0) + 1;
      connections.add(connection);
      perAddress.set(address, count);
      connection.notes.dataRate = startDataRate(performance.now());
      connection.notes.isRefused = maxConnectionsPerIp > 0 && count > maxConnectionsPerIp;
      return !connection.notes.isRefused;
    },
    closed(connection) {
      closeSocket(connection);
      if (!connections.delete(connection)) return;
      const address = addressGroup(connection.remote.ip);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    },
    count: () => connections.size,
    isDraining: () => draining,
    dropSlow(now) {
      for (const connection of connections) {
        const { dataRate } = connection.notes;
        if (dataRate && isTooSlow(dataRate, limits, now)) hangUp(connection, replyText(tooSlow));
      }
    },
    async drain() {
      draining = true;
      const begun = performance.now();
      for (;;) {
        const elapsed = performance.now() - begun;
        for (const connection of connections) {
          if (elapsed >= grace(connection)) hangUp(connection, replyText(closingDown));
        }
        if (connections.size === 0 || elapsed > DATA_GRACE_MS) return;
        await delay(DRAIN_POLL_MS);
      }
    },
  };
}

function grace(connection: Haraka.Connection): number {
  if (!connection.transaction) return 0;
  return connection.transaction.notes.mayfly?.hasData === true
    ? DATA_GRACE_MS
    : TRANSACTION_GRACE_MS;
}

/**
 * Haraka only ends its own side and would keep the socket until the client ends the other. The
 * socket of a rejected connection is destroyed once the reply is written.
 */
function closeSocket({ client, remote, notes }: Haraka.Connection): void {
  if (remote.closed) return;
  if (notes.isRefused) {
    client.destroySoon();
    return;
  }
  const timer = setTimeout(() => {
    client.destroy();
  }, LINGER_MS);
  client.once('close', () => {
    clearTimeout(timer);
  });
}

function hangUp(connection: Haraka.Connection, text: string): void {
  connection.respond(421, text, () => {
    connection.disconnect();
  });
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
