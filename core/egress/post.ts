/** One HTTP POST to a receiver, from the first look at its name to the answer's status. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import got from 'got';
import type { AttemptOutcome } from '../../db/schema/tables.js';
import { readExcerpt } from './response-excerpt.js';
import { type Egress, EgressError, openConnection } from './connect.js';
import { parseRetryAfter } from './retry-after.js';

/** Look-up, connection and TLS handshake together take no longer, nor longer than an answer may. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** What could not be sent for a reason of ours is tried again so much later. */
const OUR_DELAY_MS = 5000;
/** Nothing is sent over a connection that was idle for longer, or for longer than an answer may take. */
const MAX_IDLE_MS = 5000;

export interface WebhookCall {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds from the start of writing the request until status and headers must be there. */
  timeoutMs: number;
  /** Asked once the connection stands, right before the first byte is sent; its time is not the receiver's. */
  mayStill: () => Promise<boolean>;
  /** The clock, in milliseconds since 1970. */
  now: () => number;
}

export interface Answer {
  /** `withdrawn` when nothing was sent, since `mayStill` said no, or for a reason of ours. */
  outcome: AttemptOutcome | 'withdrawn';
  statusCode: number | null;
  /** The beginning of the body. */
  excerpt: string | null;
  /** What Retry-After asked for, where it did; of what was withdrawn, when to try again. */
  retryAfterMs: number | null;
  /**
   * Milliseconds from the start of the call, name look-up and connection included, to the end of the answer, of which
   * at most 16 KiB are read for at most 1 s, or to the failure; without the time of `mayStill`. Recorded of the attempt, and
   * what decides whether a receiver is slow.
   */
  durationMs: number;
  /** For the log: what a receiver's owner need not be told. */
  fault?: string;
}

/**
 * What goes wrong between us and the receiver is an outcome; redirects are not followed.
 * @throws what `mayStill` rejects with: it is not the receiver's fault.
 */
export async function callWebhook(egress: Egress, call: WebhookCall): Promise<Answer> {
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

/** Resolves with the first answer that is one; what happens to the connection after it is no matter. */
function post(
  url: URL,
  { headers, body }: WebhookCall,
  socket: Socket,
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = got.stream.post(url, {
      // Without an agent Node takes 80 for the default port of https too, and would name it.
      headers: { host: url.host, ...headers },
      body,
      signal,
      createConnection: () => {
        // On one that has ended already Node would wait for an end.
        if (socket.destroyed) throw new Error('the connection ended before the request');
        return socket;
      },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: false,
    });
    const answered = (response: IncomingMessage, excerpt: Promise<string> | null) => {
      const { statusCode = 0, headers } = response;
      resolve({ statusCode, retryAfter: headers['retry-after'], excerpt });
    };
    request.once('response', (response: IncomingMessage) => {
      // Listened to at once: what breaks the connection may stand right behind the headers.
      answered(response, readExcerpt(request));
    });
    request.once('upgrade', (response: IncomingMessage) => {
      answered(response, null);
      request.destroy();
    });
    request.on('error', (cause) => {
      reject(new EgressError(signal.aborted ? 'timeout' : faultKind(cause), { cause }));
    });
  });
}

/** TLS may fail after the handshake too: in version 1.3 a server refuses us only then. */
function faultKind({ code }: NodeJS.ErrnoException): AttemptOutcome {
  return code?.startsWith('ERR_SSL_') ? 'tls_error' : 'connection_failed';
}
