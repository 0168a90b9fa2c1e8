/**
 * Connections to webhook receivers, whose URLs any user can choose. The host name is resolved for
 * each connection, and the connection uses exactly the address that was checked, which prevents DNS
 * rebinding. Connections are not reused.
 */
import type { LookupAddress } from 'node:dns';
import { type LookupFunction, type Socket, connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AttemptOutcome } from '../../db/schema/tables.ts';
import { errorText } from '../errors.ts';
import type { Cidr } from '../config/cidr.ts';
import { isAllowedTarget } from './address-policy.ts';
import { LookupsBusy } from './dns.ts';

/** Node's default of 250 ms per address fails for slow hosts (nodejs/node issue 54359). */
const ATTEMPT_TIMEOUT_MS = 2000;

/** A name can resolve to thousands of addresses, which would make Mayfly probe other hosts. */
const MAX_ADDRESSES = 16;

/** Why a connection or a response failed. */
export class EgressError extends Error {
  override name = 'EgressError';
  /** `withdrawn` if nothing was sent for a reason on Mayfly's side. */
  readonly outcome: AttemptOutcome | 'withdrawn';

  constructor(outcome: AttemptOutcome | 'withdrawn', options?: ErrorOptions) {
    super(outcome, options);
    this.outcome = outcome;
  }

  /** For the log only: it can contain addresses that the owner of the webhook must not learn. */
  get fault(): string | undefined {
    const { cause } = this;
    if (cause === undefined) return undefined;
    // The error for a host whose addresses all failed has an empty message.
    return cause instanceof AggregateError
      ? cause.errors.map(errorText).join('; ')
      : errorText(cause);
  }
}

export interface Egress {
  /** All addresses of a host name. */
  resolve: (hostname: string) => Promise<LookupAddress[]>;
  allowedCidrs: readonly Cidr[];
}

/**
 * Connects to the host of the URL; https includes a verified TLS handshake. @throws {EgressError}
 */
export async function openConnection(
  { resolve, allowedCidrs }: Egress,
  url: URL,
  signal: AbortSignal,
): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:';
  const isAllowed = (address: string) => isAllowedTarget(address, allowedCidrs);
  // Node does not call `lookup` for a literal address.
  if (isIP(host) && !isAllowed(host)) throw blocked([host]);

  const lookup: LookupFunction = (hostname, _options, done) => {
    allowedAddresses(() => resolve(hostname), isAllowed)
      .then((addresses) => {
        done(null, addresses);
      })
      .catch((error: unknown) => {
        done(error as Error, []);
      });
  };
  const target = {
    host,
    port: Number(url.port) || (isSecure ? 443 : 80),
    lookup,
    // Makes Node request all addresses, which is what `lookup` returns
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    noDelay: true,
  };
  const socket = isSecure ? connectTls({ ...target, ...tlsOptions(host) }) : connect(target);
  await established(socket, isSecure, signal);
  const address = socket.remoteAddress;
  if (address !== undefined && isAllowed(address)) return socket;
  socket.destroy();
  // The address is undefined if the connection was reset meanwhile.
  throw address === undefined ? new EgressError('connection_failed') : blocked([address]);
}

/** Resolves a name to its allowed addresses. @throws {EgressError} if there are none. */
async function allowedAddresses(
  resolve: () => Promise<LookupAddress[]>,
  isAllowed: (address: string) => boolean,
): Promise<LookupAddress[]> {
  let found: string[];
  try {
    found = (await resolve()).map(({ address }) => address);
  } catch (cause) {
    throw new EgressError(cause instanceof LookupsBusy ? 'withdrawn' : 'dns_error', { cause });
  }
  if (found.length === 0) throw new EgressError('dns_error');
  const allowed = found.filter(isAllowed);
  if (allowed.length === 0) throw blocked(found.slice(0, MAX_ADDRESSES));
  return allowed.slice(0, MAX_ADDRESSES).map((address) => ({ address, family: isIP(address) }));
}

function blocked(addresses: string[]): EgressError {
  return new EgressError('blocked_address', { cause: new Error(addresses.join(', ')) });
}

/**
 * The certificate is verified regardless of the environment (NODE_TLS_REJECT_UNAUTHORIZED), and
 * only HTTP/1.1 is offered.
 */
function tlsOptions(host: string) {
  const tls = { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] };
  // RFC 6066 section 3: server_name contains host names only.
  return isIP(host) ? tls : { ...tls, servername: host };
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

/** An error after the TCP connection is a TLS error. */
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
