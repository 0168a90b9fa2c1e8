/**
 * Connections to webhook receivers, which anybody may name. What a host name stands for is judged at each
 * connection, and the address that was judged is the one that is dialled: a name that resolves to a public
 * address when it is looked at and to a private one when it is used (DNS rebinding) gains nothing. Nothing
 * is kept open between calls.
 */
import type { LookupAddress } from 'node:dns';
import { type LookupFunction, type Socket, connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AttemptOutcome } from '../../db/schema/tables.js';
import { errorText } from '../errors.js';
import type { Cidr } from '../config/cidr.js';
import { isAllowedTarget } from './address-policy.js';
import { LookupsBusy } from './dns.js';

/** Node's 250 ms per address give up on hosts that are merely slow (nodejs/node issue 54359). */
const ATTEMPT_TIMEOUT_MS = 2000;

/** A name may stand for thousands, and have us knock at strangers' doors on its owner's behalf. */
const MAX_ADDRESSES = 16;

/** Why there is no connection, or no answer over it. */
export class EgressError extends Error {
  override name = 'EgressError';

  constructor(
    /** `withdrawn` when it was for us that nothing was sent. */
    readonly outcome: AttemptOutcome | 'withdrawn',
    options?: ErrorOptions,
  ) {
    super(outcome, options);
  }

  /** For the log: it may tell addresses, which the webhook's owner has no need to know. */
  get fault(): string | undefined {
    const { cause } = this;
    if (cause === undefined) return undefined;
    // When every address of a host has failed, the error that says so has no text of its own.
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
    // It has Node ask for all addresses, as `lookup` answers.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    noDelay: true,
  };
  const socket = isSecure ? connectTls({ ...target, ...tlsOptions(host) }) : connect(target);
  await established(socket, isSecure, signal);
  const address = socket.remoteAddress;
  if (address !== undefined && isAllowed(address)) return socket;
  socket.destroy();
  // A connection that has just been reset leads nowhere any more.
  throw address === undefined ? new EgressError('connection_failed') : blocked([address]);
}

/** What a name stands for, less what may not be dialled. @throws {EgressError} when nothing is left. */
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

/** The certificate is verified whatever the environment says, and HTTP/1.1 is all that is spoken. */
function tlsOptions(host: string) {
  const tls = { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] };
  // RFC 6066 section 3: the server is named by a name only.
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
