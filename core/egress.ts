/**
 * Connections to webhook receivers, which anybody may name. What a host name stands for is judged at each
 * connection, and the address that was judged is the one that is dialled: a name that resolves to a public
 * address when it is looked at and to a private one when it is used (DNS rebinding) gains nothing. Nothing
 * is kept open between calls.
 */
import { type LookupAddress, promises as dns } from 'node:dns';
import { type LookupFunction, type Socket, connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AttemptOutcome } from '../db/tables.js';
import { type Cidr, isAllowedTarget } from './ip-policy.js';

/** Node's 250 ms per address give up on hosts that are merely slow (nodejs/node issue 54359). */
const ATTEMPT_TIMEOUT_MS = 2000;

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** Why there is no connection. */
export class EgressError extends Error {
  override name = 'EgressError';

  constructor(
    readonly outcome: AttemptOutcome,
    options?: ErrorOptions,
  ) {
    super(outcome, options);
  }
}

/**
 * The system's resolver. Lookups of one name share one call, since each keeps a thread busy until it ends
 * (UV_THREADPOOL_SIZE in the Procfile): a name whose servers are silent must not take them all.
 */
export function openResolver(): Resolve {
  const running = new Map<string, Promise<LookupAddress[]>>();
  return (hostname) => {
    let lookup = running.get(hostname);
    if (!lookup) {
      lookup = dns.lookup(hostname, { all: true }).finally(() => running.delete(hostname));
      running.set(hostname, lookup);
    }
    return lookup;
  };
}

export interface Egress {
  resolve: Resolve;
  allowedCidrs: readonly Cidr[];
}

/** A connection to the URL's host, TLS verified where it is https. @throws {EgressError} */
export async function openConnection(
  { resolve, allowedCidrs }: Egress,
  url: URL,
  signal: AbortSignal,
): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:';
  const isAllowed = (address: string) => isAllowedTarget(address, allowedCidrs);
  // For a literal address no lookup is ever asked for.
  if (isIP(host) && !isAllowed(host)) throw new EgressError('blocked_address');

  const lookup: LookupFunction = (hostname, _options, done) => {
    resolve(hostname)
      .catch((cause: unknown) => {
        throw new EgressError('dns_error', { cause });
      })
      .then((addresses) => {
        const allowed = addresses.filter(({ address }) => isAllowed(address));
        if (allowed.length === 0) throw new EgressError('blocked_address');
        done(null, allowed);
      })
      .catch((error: unknown) => {
        done(error as Error, []);
      });
  };
  const target = {
    host,
    port: Number(url.port) || (isSecure ? 443 : 80),
    lookup,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
  };
  const socket = isSecure
    ? connectTls({ ...target, ...(isIP(host) ? {} : { servername: host }) })
    : connect(target);
  await established(socket, isSecure, signal);
  if (!isAllowed(socket.remoteAddress ?? '')) {
    socket.destroy();
    throw new EgressError('blocked_address');
  }
  return socket;
}

async function established(socket: Socket, isSecure: boolean, signal: AbortSignal): Promise<void> {
  let isConnected = false;
  await new Promise<void>((resolve, reject) => {
    const abort = () => socket.destroy(new EgressError('timeout'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    socket.once('connect', () => (isConnected = true));
    socket.once('error', (error) => {
      reject(error instanceof EgressError ? error : connectFault(error, isConnected));
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(new EgressError('connection_failed'));
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}

/** What fails after the connection stands, failed in the TLS handshake. */
function connectFault(error: NodeJS.ErrnoException, isConnected: boolean): EgressError {
  if (isConnected) return new EgressError('tls_error', { cause: error });
  const codes = error instanceof AggregateError ? error.errors.map(codeOf) : [error.code];
  return new EgressError(
    codes.includes('ECONNREFUSED') ? 'connection_refused' : 'connection_failed',
    { cause: error },
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
