/** Open SMTP connections: count per address, slow clients, and draining at shutdown. */
import { setTimeout as delay } from 'node:timers/promises';
import { addressGroup } from '../../core/limits/client-network.ts';
import type { Config } from '../../core/config/config.ts';
import { envelopeOf } from '../envelope.ts';
import { type DataRateLimits, startDataRate, isTooSlow } from './data-rate.ts';
import { closingDown, textOf, tooSlow } from '../replies.ts';

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

export interface Connections {
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

type Limits = Pick<Config['smtp'], 'maxConnectionsPerIp'> & DataRateLimits;

export function openConnections(limits: Limits): Connections {
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
        if (dataRate && isTooSlow(dataRate, limits, now)) hangUp(connection, textOf(tooSlow));
      }
    },
    async drain() {
      draining = true;
      const begun = performance.now();
      for (;;) {
        const elapsed = performance.now() - begun;
        for (const connection of connections) {
          if (elapsed >= grace(connection)) hangUp(connection, textOf(closingDown));
        }
        if (connections.size === 0 || elapsed > DATA_GRACE_MS) return;
        await delay(DRAIN_POLL_MS);
      }
    },
  };
}

function grace(connection: Haraka.Connection): number {
  if (!connection.transaction) return 0;
  return envelopeOf(connection)?.hasData === true ? DATA_GRACE_MS : TRANSACTION_GRACE_MS;
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
