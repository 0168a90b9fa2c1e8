/**
 * The open SMTP connections: how many an address may have, which are stalled, and how all of them end
 * when the service stops.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { envelopeOf } from './envelope.js';
import { isStalled } from './stalled.js';

/** A mail that is being sent at the stop has this long, inside the 27 s of core/entry. */
const DATA_GRACE_MS = 25_000;
/** A client between MAIL and DATA has this long to go on. */
const TRANSACTION_GRACE_MS = 5_000;
const DRAIN_POLL_MS = 20;

export interface Sessions {
  /** Counts a new connection; false when its address already has as many as it may. */
  open: (connection: Haraka.Connection) => boolean;
  closed: (connection: Haraka.Connection) => void;
  /** Whether the service is stopping: no new mail is begun. */
  isDraining: () => boolean;
  /** Ends the connections that send a mail too slowly. */
  dropStalled: (now: number) => void;
  /** Ends every connection with 421 (RFC 5321 section 3.8), those in DATA after their answer. */
  drain: () => Promise<void>;
}

/** @param maxPerAddress connections an address may have; 0 for no limit. */
export function openSessions(maxPerAddress: number): Sessions {
  const connections = new Set<Haraka.Connection>();
  const perAddress = new Map<string, number>();
  let draining = false;

  return {
    open(connection) {
      const { ip } = connection.remote;
      const count = (perAddress.get(ip) ?? 0) + 1;
      connections.add(connection);
      perAddress.set(ip, count);
      return maxPerAddress === 0 || count <= maxPerAddress;
    },
    closed(connection) {
      if (!connections.delete(connection)) return;
      const { ip } = connection.remote;
      const left = (perAddress.get(ip) ?? 1) - 1;
      if (left > 0) perAddress.set(ip, left);
      else perAddress.delete(ip);
    },
    isDraining: () => draining,
    dropStalled(now) {
      for (const connection of connections) {
        const envelope = envelopeOf(connection);
        if (envelope && isStalled(envelope, now)) {
          hangUp(connection, '4.4.2 Mail is arriving too slowly');
        }
      }
    },
    async drain() {
      draining = true;
      const begun = Date.now();
      for (;;) {
        const elapsed = Date.now() - begun;
        for (const connection of connections) {
          if (elapsed >= grace(connection)) hangUp(connection, '4.3.2 Service is closing down');
        }
        if (connections.size === 0 || elapsed > DATA_GRACE_MS) return;
        await delay(DRAIN_POLL_MS);
      }
    },
  };
}

function grace(connection: Haraka.Connection): number {
  if (!connection.transaction) return 0;
  return envelopeOf(connection)?.dataSince == null ? TRANSACTION_GRACE_MS : DATA_GRACE_MS;
}

function hangUp(connection: Haraka.Connection, text: string): void {
  connection.respond(421, text, () => {
    connection.disconnect();
  });
}
