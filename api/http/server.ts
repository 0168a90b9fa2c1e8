/**
 * Node's HTTP server with limits of time and size, and with an answer in our shape for what never reaches the
 * application: its parser is strict (no bare LF, no obs-fold, no Content-Length beside Transfer-Encoding), and
 * what it refuses ends the connection, so that nothing can be smuggled behind it (RFC 9112 section 11.2).
 */
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Config } from '../../core/config/config.js';
import type { ErrorCode } from '../../core/errors.js';
import type { Logger } from '../../core/log.js';
import { rawResponse } from './errors.js';
import { limitSlowConnections } from './slow-connections.js';
import { lingeringClose } from './lingering-close.js';

/** What no operator needs to change. In milliseconds, where not in bytes. */
const FIXED = {
  /** How long an answer may wait for its reader. */
  timeout: 120_000,
  /** Between requests. Load balancers keep theirs for 60 s, and must not meet one that we just closed. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  slowConnections: { connections: 500, headersTimeoutMs: 15_000 },
};

/** Not one line for each connection of a flood. */
const TELL_EVERY_MS = 60_000;

/** A client has this long to close its side after we have closed ours. */
const LINGER_MS = 5_000;

type Refusal = [status: number, code: ErrorCode, text: string];

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: [431, 'header_too_large', 'The header is larger than 16384 bytes.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'payload_too_large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request took too long to arrive.'],
};
const garbage: Refusal = [400, 'invalid_request', 'This is not a valid HTTP request.'];
const noTunnel: Refusal = [405, 'method_not_allowed', 'This is not a proxy.'];

export type HttpLimits = Pick<
  Config['http'],
  'headersTimeoutMs' | 'requestTimeoutMs' | 'maxConnections'
>;

export function createHttpServer(
  app: RequestListener,
  log: Logger,
  limits: HttpLimits,
  fixed = FIXED,
): Server {
  const { timeout, slowConnections, ...options } = fixed;
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = limits;
  // Behind an answer that was the last of its connection, nothing is asked any more (RFC 9112 section 9.6).
  const serve: RequestListener = (req, res) => {
    if (req.socket.writable) app(req, res);
  };
  const server = createServer(
    { ...options, headersTimeout, requestTimeout, requireHostHeader: false },
    serve,
  );
  server.timeout = timeout;
  limitSlowConnections(server, log, slowConnections, options.connectionsCheckingInterval);
  if (limits.maxConnections > 0) boundConnections(server, log, limits.maxConnections);
  // The application invites a body once it knows who sends it, and refuses what else is expected.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);

  /** The last of each connection. */
  const exchanges = new WeakMap<Duplex, { req: IncomingMessage; res: ServerResponse }>();
  const watch: RequestListener = (req, res) => {
    exchanges.set(req.socket, { req, res });
    lingeringClose(req, res);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, watch);
  }

  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, refusal: Refusal) => {
    if (refused.has(socket)) return; // whatever else comes on this connection is not looked at
    refused.add(socket);
    const { req, res } = exchanges.get(socket) ?? {};
    if (!res || res.writableFinished) {
      answer(socket, refusal);
    } else if (req?.complete) {
      // What cannot be read came behind this request, whose own answer goes first (RFC 9112 section 9.3.2).
      res.once('close', () => {
        answer(socket, refusal);
      });
    } else if (res.headersSent) {
      socket.destroy();
    } else {
      answer(socket, refusal);
    }
  };
  const answer = (socket: Duplex, [status, code, text]: Refusal) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const { requestId, bytes } = rawResponse(status, code, text);
    log.info('request refused', { requestId, status, code, reason: text });
    socket.end(bytes);
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, refusals[error.code ?? ''] ?? garbage);
  });
  server.on('connect', (_req, socket) => {
    refuse(socket, noTunnel);
  });
  return server;
}

/** A connection too many is closed at once, and makes room for the next by ending those that are idle. */
function boundConnections(server: Server, log: Logger, maxConnections: number): void {
  let open = 0;
  let toldAt = -Infinity;
  // Not `server.maxConnections`: one of several processes hands back what is above it, round and round.
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    if (open <= maxConnections) return;
    socket.destroy();
    server.closeIdleConnections();
    const now = performance.now();
    if (now - toldAt < TELL_EVERY_MS) return;
    toldAt = now;
    log.warn('connections refused, there are too many', { maxConnections });
  });
}
