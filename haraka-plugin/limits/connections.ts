/** The open SMTP connections: their number for each address, the slow ones, and their end when the process stops. */
import { setTimeout as delay } from 'node:timers/promises';
import { addressGroup } from '../../core/limits/client-network.js';
import type { Config } from '../../core/config/config.js';
import { envelopeOf } from '../envelope.js';
import { type DataRateLimits, startDataRate, isTooSlow } from './data-rate.js';
import { closingDown, textOf, tooSlow } from '../replies.js';

/** A mail that is being sent at the stop has this long: longer than its answer takes, shorter than the stop may. */
const DATA_GRACE_MS = 22_000;
/** A client between MAIL and DATA has this long to go on. */
const TRANSACTION_GRACE_MS = 5_000;
const DRAIN_POLL_MS = 20;
/** A client has this long to close its side after we have closed ours. */
const LINGER_MS = 5_000;

export interface Connections {
  /** Counts a new connection; false when its address already has as many as it may. */
  open: (connection: Haraka.Connection) => boolean;
  closed: (connection: Haraka.Connection) => void;
  /** How many connections there are. */
  count: () => number;
  /** Whether the service is stopping: no new mail is begun. */
  isDraining: () => boolean;
  /** Ends the connections that get on too slowly, at `now` (monotonic milliseconds). */
  dropSlow: (now: number) => void;
  /** Ends every connection with 421 (RFC 5321 section 3.8), those in DATA after their answer. */
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
 * Haraka only ends its side, and would keep the socket until the client ends the other. One that has not
 * been let in is closed as soon as it has its answer.
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
