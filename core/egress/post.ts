/** One HTTP POST to a webhook receiver, from name resolution to the response. */
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import got from 'got';
import type { AttemptOutcome } from '../../db/schema/tables.ts';
import { readExcerpt, parseRetryAfter } from './response.ts';
import { type Egress, EgressError, openConnection } from './connect.ts';

/** Time limit for lookup, connect and TLS handshake together; at most the response timeout. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Delay until a retry if the request was not sent for a reason on Mayfly's side. */
const OUR_DELAY_MS = 5000;
/**
 * A connection that was idle for longer is not used, nor one idle for longer than the response
 * timeout.
 */
const MAX_IDLE_MS = 5000;

/** Bytes of a response in which the status is looked for. */
const START_BYTES = 4096;
/** The status line of a final response, after informational ones (RFC 9112 section 4). */
const STATUS = /^(?:HTTP\/\d\.\d|ICY) +([2-9]\d\d)\b/im;

export interface WebhookCall {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds from writing the request to receiving status and headers. */
  timeoutMs: number;
  /**
   * Called once connected, right before the first byte is sent. Its time does not count as time of
   * the receiver.
   */
  mayStill: () => Promise<boolean>;
  /** The clock, in milliseconds since 1970. */
  now: () => number;
}

export interface WebhookResponse {
  /**
   * `withdrawn` if nothing was sent, because `mayStill` resolved to false or for another reason on
   * Mayfly's side.
   */
  outcome: AttemptOutcome | 'withdrawn';
  statusCode: number | null;
  /** Start of the response body. */
  excerpt: string | null;
  /** Delay requested by Retry-After, or for `withdrawn` the delay until the next try. */
  retryAfterMs: number | null;
  /**
   * Milliseconds from the start of the call, including lookup and connect, to the end of the
   * response or the failure. At most 16 KiB of the response are read, for at most 1 s. Excludes the
   * time of `mayStill`. Recorded in the attempt, and used to detect slow receivers.
   */
  durationMs: number;
  /** Details for the log that the owner of the webhook must not learn. */
  fault?: string;
}

/**
 * Sends the request. Failures of the connection or the receiver are returned as outcome; redirects
 * are not followed.
 * @throws the error of `mayStill`.
 */
export async function callWebhook(egress: Egress, call: WebhookCall): Promise<WebhookResponse> {
  const start = performance.now();
  let idleMs = 0;
  const durationMs = () => Math.round(performance.now() - start - idleMs);
  const nothing = { statusCode: null, excerpt: null, retryAfterMs: null };
  const over = new AbortController();
  const end = () => {
    over.abort();
  };
  let deadline = setTimeout(end, Math.min(call.timeoutMs, CONNECT_TIMEOUT_MS));
  let socket: Socket | undefined;
  try {
    const url = new URL(call.url);
    socket = await openConnection(egress, url, over.signal);
    clearTimeout(deadline);
    const connectedAt = performance.now();
    const isWanted = await call.mayStill();
    idleMs = performance.now() - connectedAt;
    if (!isWanted || idleMs > Math.min(call.timeoutMs, MAX_IDLE_MS)) {
      const retryAfterMs = isWanted ? OUR_DELAY_MS : null;
      return { ...nothing, retryAfterMs, outcome: 'withdrawn', durationMs: durationMs() };
    }
    deadline = setTimeout(end, call.timeoutMs);
    const { statusCode, retryAfter, excerpt } = await post(url, call, socket, over.signal);
    clearTimeout(deadline);
    return {
      outcome: statusCode >= 200 && statusCode <= 299 ? 'delivered' : 'http_error',
      statusCode,
      excerpt: await excerpt,
      retryAfterMs: parseRetryAfter(retryAfter, call.now()),
      durationMs: durationMs(),
    };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { outcome, fault } = error;
    const retryAfterMs = outcome === 'withdrawn' ? OUR_DELAY_MS : null;
    return { ...nothing, retryAfterMs, outcome, fault, durationMs: durationMs() };
  } finally {
    clearTimeout(deadline);
    socket?.destroy();
  }
}

interface Response {
  statusCode: number;
  retryAfter: string | undefined;
  excerpt: Promise<string> | null;
}

/**
 * Resolves with the first final response; later errors of the connection are ignored. The request
 * of Node.js tells the status in the turn in which it arrives, and got later, when the error of a
 * body that the receiver did not read may have come first. Of a response that Node's parser
 * rejects, for example for 20 KB of headers or a bare LF, the status still decides: the receiver
 * has processed the event.
 */
function post(
  url: URL,
  { headers, body }: WebhookCall,
  socket: Socket,
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let start = '';
    const answered = (response: IncomingMessage, excerpt: Promise<string> | null) => {
      const { statusCode = 0, headers } = response;
      resolve({ statusCode, retryAfter: headers['retry-after'], excerpt });
    };
    const call = got.stream.post(url, {
      // Without an agent Node assumes default port 80 for https too, and would add the port to the
      // Host header.
      headers: { host: url.host, ...headers },
      body,
      signal,
      createConnection: () => {
        // Node would wait for the end of a socket that has already ended.
        if (socket.destroyed) throw new Error('the connection ended before the request');
        return socket;
      },
      request(target, options) {
        const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
        const sending = request(target, options);
        readAfterFailedWrite(socket);
        sending.once('socket', () => {
          socket.prependListener('data', (part: Buffer) => {
            if (start.length < START_BYTES) start += part.toString('latin1', 0, START_BYTES);
          });
        });
        sending.once('response', (response) => {
          // The listener is added at once: an error can follow the headers immediately.
          answered(response, readExcerpt(call));
        });
        sending.once('upgrade', (response) => {
          answered(response, null);
          call.destroy();
        });
        return sending;
      },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: false,
    });
    call.on('error', (cause: NodeJS.ErrnoException) => {
      const status = cause.code?.startsWith('HPE_') ? STATUS.exec(start)?.[1] : undefined;
      if (status !== undefined) {
        resolve({ statusCode: Number(status), retryAfter: undefined, excerpt: null });
      }
      reject(new EgressError(signal.aborted ? 'timeout' : faultKind(cause), { cause }));
    });
  });
}

/**
 * Reads on after a write has failed: a receiver that answers early and closes resets the connection
 * while the body is written, and its response is still to be read. Node would destroy the socket at
 * once, and its stream takes no input after an error.
 */
function readAfterFailedWrite(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error?: NodeJS.ErrnoException) => {
    if (error?.syscall !== 'write') return destroy(error);
    socket.push = (part: Buffer | null) => (part ? socket.emit('data', part) : !destroy(error));
    return socket;
  };
}

/** TLS can also fail after the handshake: in TLS 1.3 the server rejects the client only then. */
function faultKind({ code }: NodeJS.ErrnoException): AttemptOutcome {
  return code?.startsWith('ERR_SSL_') ? 'tls_error' : 'connection_failed';
}
