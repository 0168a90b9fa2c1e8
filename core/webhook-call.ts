/** One HTTP POST to a receiver, from the first look at its name to the answer's status. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import got, { type Request } from 'got';
import type { AttemptOutcome } from '../db/tables.js';
import { type Egress, EgressError, openConnection } from './egress.js';
import { errorText } from './errors.js';

/** So much of the answer's body is read, for so long, and so much of it kept. */
const READ_BYTES = 16 * 1024;
const READ_MS = 1000;
const EXCERPT_BYTES = 1024;

export interface WebhookCall {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds until status and headers must be there, looking up the name included. */
  timeoutMs: number;
  /** Asked once the connection stands, right before the first byte is sent. */
  mayStill: () => Promise<boolean>;
}

export interface Answer {
  /** `withdrawn` when nothing was sent, since `mayStill` said no. */
  outcome: AttemptOutcome | 'withdrawn';
  statusCode: number | null;
  /** The beginning of the body. */
  excerpt: string | null;
  /** What Retry-After asked for, where it did. */
  retryAfterMs: number | null;
  durationMs: number;
  /** For the log: what a receiver's owner need not be told. */
  fault?: string;
}

/** Never rejects: whatever goes wrong is an outcome. Redirects are not followed. */
export async function callWebhook(egress: Egress, call: WebhookCall): Promise<Answer> {
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  const nothing = { statusCode: null, excerpt: null, retryAfterMs: null };
  const over = new AbortController();
  const deadline = setTimeout(() => {
    over.abort();
  }, call.timeoutMs);
  try {
    const url = new URL(call.url);
    const socket = await openConnection(egress, url, over.signal);
    if (!(await call.mayStill())) {
      socket.destroy();
      return { ...nothing, outcome: 'withdrawn', durationMs: elapsed() };
    }
    const { statusCode, retryAfter, body } = await post(url, call, socket, over.signal);
    const durationMs = elapsed();
    clearTimeout(deadline);
    return {
      outcome: statusCode >= 200 && statusCode <= 299 ? 'delivered' : 'http_error',
      statusCode,
      excerpt: await readExcerpt(body),
      retryAfterMs: parseRetryAfter(retryAfter, Date.now()),
      durationMs,
    };
  } catch (error) {
    const failed = over.signal.aborted ? ({ outcome: 'timeout' } as const) : outcomeOf(error);
    return { ...nothing, ...failed, durationMs: elapsed() };
  } finally {
    clearTimeout(deadline);
    over.abort();
  }
}

interface Response {
  statusCode: number;
  retryAfter: string | undefined;
  body: Request;
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
      headers,
      body,
      signal,
      createConnection: () => socket,
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: false,
    });
    request.on('error', (error) => {
      socket.destroy();
      reject(error);
    });
    request.once('response', (response: IncomingMessage) => {
      const retryAfter = response.headers['retry-after'];
      resolve({ statusCode: response.statusCode ?? 0, retryAfter, body: request });
    });
  });
}

/** The beginning of the body, as text; then the connection is over. */
function readExcerpt(body: Request): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = () => {
      clearTimeout(timer);
      body.destroy();
      // A character cut in two at the end is left out.
      const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES), {
        stream: true,
      });
      resolve(text.replaceAll('\0', '\uFFFD'));
    };
    const timer = setTimeout(finish, READ_MS);
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= READ_BYTES) finish();
    });
    for (const event of ['end', 'error', 'close']) body.once(event, finish);
  });
}

function outcomeOf(error: unknown): Pick<Answer, 'outcome' | 'fault'> {
  return error instanceof EgressError
    ? { outcome: error.outcome, fault: errorText(error.cause) }
    : { outcome: 'connection_failed', fault: errorText(error) };
}

/** Seconds or an HTTP date (RFC 9110 section 10.2.3) to milliseconds from now; null for anything else. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = /^[A-Z][a-z]{2}, .* GMT$/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
