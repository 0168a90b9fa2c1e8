/**
 * Node's HTTP server with limits of time and size, and with error responses in JSON for requests
 * that do not reach the application. Its parser is strict (no bare LF, no obs-fold, no
 * Content-Length beside Transfer-Encoding), and a rejected request ends the connection, which
 * prevents request smuggling (RFC 9112 section 11.2).
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
import type { Config } from '../../core/config/config.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { Logger } from '../../core/log.ts';
import { rawResponse } from './errors.ts';
import type { MessageClasses } from './express-prototypes.ts';
import { toOriginForm } from './request.ts';

/** Fixed settings, in milliseconds or bytes. */
const FIXED = {
  /** Time limit for a client to read a response. */
  timeout: 120_000,
  /**
   * Keep-alive timeout. Longer than the 60 s of common load balancers, so that they do not reuse a
   * connection that was just closed.
   */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
};

/** Interval between log lines, so that a flood does not produce one line per connection. */
const TELL_EVERY_MS = 60_000;

/** Time limit for a client to close its side after the server has closed its own. */
const LINGER_MS = 5_000;

/** What is read and dropped of a request that was answered before its end. */
const MAX_DROPPED_BYTES = 512 * 1024;
const DROP_MS = 1_000;

/** Time limits of a stop, for all requests in progress and for those that are just arriving. */
const DEADLINE_MS = 20_000;
const GRACE_MS = 1000;

/**
 * Events of a new request. Which one is emitted depends on its Expect header (RFC 9110 section
 * 10.1.1).
 */
const REQUESTS = ['request', 'checkContinue', 'checkExpectation'];

type Refusal = [status: number, code: ErrorCode, text: string];

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: [431, 'header_too_large', 'The request header is larger than 16384 bytes.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    'payload_too_large',
    'The chunk extensions of the body are too large.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'request_timeout',
    'The request did not arrive in time. Retry the request.',
  ],
};
const garbage: Refusal = [400, 'invalid_request', 'The request is not valid HTTP.'];
const noTunnel: Refusal = [
  405,
  'method_not_allowed',
  'CONNECT is not supported: this server is not a proxy.',
];

export type HttpLimits = Pick<
  Config['http'],
  'headersTimeoutMs' | 'requestTimeoutMs' | 'maxConnections'
>;

export function createHttpServer(
  app: RequestListener,
  classes: MessageClasses,
  log: Logger,
  limits: HttpLimits,
  fixed = FIXED,
): Server {
  const { timeout, ...options } = fixed;
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = limits;
  // No further request is served after the last response of a connection (RFC 9112 section 9.6).
  const serve: RequestListener = (req, res) => {
    if (!req.socket.writable) return;
    toOriginForm(req);
    app(req, res);
  };
  const server = createServer(
    { ...options, ...classes, headersTimeout, requestTimeout, requireHostHeader: false },
    serve,
  );
  server.timeout = timeout;
  // A client that closes its sending side after the request gets its response (RFC 9112 section
  // 9.6).
  Object.assign(server, { httpAllowHalfOpen: true });
  if (limits.maxConnections > 0) boundConnections(server, log, limits.maxConnections);
  // The application sends "100 Continue" after authentication, and rejects other expectations.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);

  /** The last request and response of each connection. */
  const exchanges = new WeakMap<Duplex, { req: IncomingMessage; res: ServerResponse }>();
  const watch: RequestListener = (req, res) => {
    exchanges.set(req.socket, { req, res });
    lingeringClose(req, res);
  };
  for (const event of REQUESTS) server.prependListener(event, watch);

  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, refusal: Refusal) => {
    if (refused.has(socket)) return; // later input on this connection is ignored
    refused.add(socket);
    const { req, res } = exchanges.get(socket) ?? {};
    if (!res || res.writableFinished) {
      answer(socket, refusal);
    } else if (req?.complete) {
      // The invalid input followed this request, whose response comes first (RFC 9112 section
      // 9.3.2).
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

/**
 * Closes a connection whose request was answered before it arrived completely. Node would either
 * read it to its end, which may never come, or close the connection at once, and a client that is
 * still sending would lose the response to a reset (RFC 9112 section 9.6). The rest is therefore
 * read and dropped for a short time.
 * This response is then the last of its connection.
 */
function lingeringClose(req: IncomingMessage, res: ServerResponse): void {
  const writeHead = res.writeHead.bind(res);
  Object.assign(res, {
    writeHead: (...head: Parameters<typeof writeHead>) => {
      if (!req.complete) res.shouldKeepAlive = false;
      return writeHead(...head);
    },
  });
  // Runs before Node's own listener, which would read on or close.
  res.prependOnceListener('finish', () => {
    if (!req.complete) linger(req);
  });
}

function linger(req: IncomingMessage): void {
  const { socket } = req;
  const end = () => socket.destroy();
  const timer = setTimeout(end, DROP_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
  let dropped = 0;
  req.on('data', (part: Buffer) => {
    dropped += part.length;
    if (dropped > MAX_DROPPED_BYTES) end();
  });
  req.once('end', end);
  req.read(); // otherwise Node drops the rest without calling this listener
  req.resume();
  socket.destroySoon = () => socket.end();
}

/** Closes a connection above the limit at once, and ends idle ones to make room for the next. */
function boundConnections(server: Server, log: Logger, maxConnections: number): void {
  let open = 0;
  let toldAt = -Infinity;
  // `server.maxConnections` is not used: with several processes, a rejected connection returns to
  // the pool and circulates.
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    if (open <= maxConnections) return;
    socket.destroy();
    server.closeIdleConnections();
    const now = performance.now();
    if (now - toldAt < TELL_EVERY_MS) return;
    toldAt = now;
    log.warn('connection limit reached, refusing connections', { maxConnections });
  });
}

/**
 * Graceful stop: tracks the server from now on. The returned function stops it and resolves once
 * every request in progress has its response. Node's `close` waits for keep-alive connections and
 * continues to serve requests on them, so a single busy client would delay it until the deadline,
 * which then interrupts all requests in progress.
 */
export function gracefulStop(server: Server): () => Promise<void> {
  const serving = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  let stopping = false;

  const watch = (_req: unknown, res: ServerResponse) => {
    serving.add(res);
    if (stopping) res.shouldKeepAlive = false;
    res.once('close', () => {
      serving.delete(res);
      if (stopping) server.closeIdleConnections();
    });
  };
  for (const event of REQUESTS) server.prependListener(event, watch);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const endUnserved = () => {
    const served = new Set([...serving].map(({ socket }) => socket));
    for (const socket of sockets) if (!served.has(socket)) socket.destroy();
  };

  return async () => {
    stopping = true;
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, DEADLINE_MS);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    // Node does not consider a connection idle that has sent nothing or part of a header.
    const grace = setTimeout(endUnserved, GRACE_MS);
    for (const res of serving) res.shouldKeepAlive = false;
    await closed;
    clearTimeout(timer);
    clearTimeout(grace);
  };
}
