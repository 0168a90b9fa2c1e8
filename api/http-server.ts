/**
 * Node's HTTP server with limits of time and size, and with an answer in our shape for what never reaches the
 * application: its parser is strict (no bare LF, no obs-fold, no Content-Length beside Transfer-Encoding), and
 * what it refuses ends the connection, so that nothing can be smuggled behind it (RFC 9112 section 11.2).
 */
import { type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../core/errors.js';
import type { Logger } from '../core/log.js';
import { plainAnswer } from './plain-answer.js';

/** In milliseconds, where not in bytes. */
export const HTTP_LIMITS = {
  /** A connection's first byte to the end of a request's header. */
  headersTimeout: 15_000,
  /** The whole request: 20 MiB at 1.4 Mbit/s. */
  requestTimeout: 120_000,
  /** How long an answer may wait for its reader. */
  timeout: 120_000,
  /** Between requests. Load balancers keep theirs for 60 s, and must not meet one that we just closed. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
};

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

export function createHttpServer(app: RequestListener, log: Logger, limits = HTTP_LIMITS): Server {
  const { timeout, ...options } = limits;
  const server = createServer({ ...options, requireHostHeader: false }, app);
  server.timeout = timeout;
  // The application invites a body once it knows who sends it, and passes over what else is expected.
  server.on('checkContinue', app);
  server.on('checkExpectation', app);

  const answers = new WeakMap<Duplex, ServerResponse>();
  const watch: RequestListener = (req, res) => answers.set(req.socket, res);
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    server.prependListener(event, watch);
  }

  const refuse = (socket: Duplex, [status, code, text]: Refusal) => {
    const answer = answers.get(socket);
    const isAnswering = answer?.headersSent === true && !answer.writableFinished;
    if (!socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const { requestId, bytes } = plainAnswer(status, code, text);
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
