/** One HTTP POST to a receiver, from the first look at its name to the answer's status. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import got from 'got';
import type { AttemptOutcome } from '../db/tables.js';
import { readExcerpt } from './answer-excerpt.js';
import { type Egress, EgressError, type Ours, openConnection } from './egress.js';
import { parseRetryAfter } from './retry-after.js';

/** What could not be sent for a reason of ours is tried again so much later. */
const OUR_DELAY_MS = 5000;
/** A receiver that we have kept waiting for longer, or than it has time left, is sent nothing now. */
const OUR_LIMIT_MS = 5000;

export interface WebhookCall {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds until status and headers must be there, looking up the name included once that begins. */
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
  /** Until the answer, with the beginning of its body, was there. */
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
  let oursMs = 0;
  const theirsMs = () => performance.now() - start - oursMs;
  const nothing = { statusCode: null, excerpt: null, retryAfterMs: null };
  const over = new AbortController();
  const end = () => {
    over.abort();
  };
  let deadline = setTimeout(end, call.timeoutMs);
  /** Theirs stands still meanwhile. */
  const ours: Ours = async (work) => {
    clearTimeout(deadline);
    const asked = performance.now();
    try {
      return await work();
    } finally {
      oursMs += performance.now() - asked;
      deadline = setTimeout(end, call.timeoutMs - theirsMs());
    }
  };
  let socket: Socket | undefined;
  try {
    const url = new URL(call.url);
    socket = await openConnection(egress, url, over.signal, ours);
    const left = call.timeoutMs - theirsMs();
    const before = oursMs;
    const isWanted = await ours(call.mayStill);
    const isLate = oursMs - before > left || oursMs > OUR_LIMIT_MS;
    if (!isWanted || isLate) {
      const retryAfterMs = isWanted ? OUR_DELAY_MS : null;
      return { ...nothing, retryAfterMs, outcome: 'withdrawn', durationMs: Math.round(theirsMs()) };
    }
    const { statusCode, retryAfter, excerpt } = await post(url, call, socket, over.signal);
    clearTimeout(deadline);
    return {
      outcome: statusCode >= 200 && statusCode <= 299 ? 'delivered' : 'http_error',
      statusCode,
      excerpt: await excerpt,
      retryAfterMs: parseRetryAfter(retryAfter, call.now()),
      durationMs: Math.round(theirsMs()),
    };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { outcome, fault } = error;
    const retryAfterMs = outcome === 'withdrawn' ? OUR_DELAY_MS : null;
    return { ...nothing, retryAfterMs, outcome, fault, durationMs: Math.round(theirsMs()) };
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
