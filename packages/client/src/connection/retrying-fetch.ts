import { now, startTimer, stopTimer } from './clock.ts';
import { VERSION } from '../contract.gen.ts';
import { MayflyError } from '../errors.ts';
import type { ErrorBody } from './bodies.ts';
import { isRedirect, redirected } from './redirect.ts';

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;
const LONGEST_BACK_OFF_MS = 3200;
const LONGEST_PAUSE_MS = 60_000;
/** A repeat of these with the same key does nothing twice. Paths end so. */
const TAKES_KEY = /\/api\/mailboxes(?:\/[^/]+\/messages(?:\/claim)?)?$/;
/** How the service refuses a path, a query parameter or a field that it does not know. */
const UNKNOWN = /^(?:No endpoint|There is nothing|Unknown) /;

/** One attempt of a request. */
export type Attempt = (request: Request) => Promise<Response>;

/** The end of an attempt without its whole response. */
export class Unanswered extends Error {
  /** Milliseconds from the begin of the attempt. */
  readonly ms: number;

  /** @param isCut whether the test ends. */
  constructor(ms: number, isCut: boolean) {
    super(
      `no response within ${Number((ms / 1000).toFixed(1))} s` +
        (isCut ? '; the test ends: raise its timeout' : ''),
    );
    this.ms = ms;
  }
}

/**
 * An attempt that ends with its whole response, at most `ms` milliseconds after it began. The
 * signal goes to `fetch` by itself: that of a request is lost when the request is collected.
 * @param isCut whether the test ends then.
 */
export function wholeResponse(fetchOnce: typeof fetch, ms: number, isCut = false): Attempt {
  return async (request) => {
    const limit = new AbortController();
    const stop = () => {
      limit.abort(request.signal.reason);
    };
    const unanswered = new Unanswered(ms, isCut);
    const timer = startTimer(() => {
      limit.abort(unanswered);
    }, ms);
    request.signal.addEventListener('abort', stop);
    if (request.signal.aborted) stop();
    try {
      const response = await fetchOnce(request.clone(), { signal: limit.signal });
      // That of a browser, which shows no status.
      if (response.type === 'opaqueredirect') return response;
      const body = await response.arrayBuffer();
      return new Response(body.byteLength === 0 ? null : body, response);
    } catch (error) {
      throw limit.signal.reason === unanswered ? unanswered : error;
    } finally {
      stopTimer(timer);
      request.signal.removeEventListener('abort', stop);
    }
  };
}

/**
 * A fetch that tries again, up to five times: after 429 and 503 (as `Retry-After` says) and after a
 * broken connection. It tries again while the first request with the same `Idempotency-Key` runs;
 * one of a process that died counts as running for 15 s. A request that changes something is
 * repeated after a broken connection only if the service recognizes the repeat. A repeated DELETE
 * that finds nothing succeeds: the lost response was that of its success.
 * @param giveUpAt when the last attempt begins at the latest, in milliseconds since 1970
 * @throws {MayflyError} for every other response than 2xx, and without one.
 */
export function retrying(attempt: Attempt, giveUpAt: () => number): Attempt {
  return async (request) => {
    let mayBeDeleted = false;
    for (let n = 1; ; n += 1) {
      const outcome = await attempt(request).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        return unavailable(request, error);
      });
      if (outcome instanceof Response && outcome.ok) return outcome;
      const error = outcome instanceof Response ? await errorOf(request, outcome) : outcome;
      const ms = pauseMs(outcome, n);
      const isLast = (n >= ATTEMPTS && error.code !== 'request_running') || now() + ms > giveUpAt();
      // The first request deleted it, and its response was lost.
      if (mayBeDeleted && error.code === 'not_found') {
        return new Response(null, { status: 204 });
      }
      if (isLast || !isWorthAnother(request, error)) throw error;
      mayBeDeleted ||= request.method === 'DELETE' && [0, 503].includes(error.status);
      await pause(ms, request.signal);
    }
  };
}

function isWorthAnother(request: Request, { status, code }: MayflyError): boolean {
  if (status === 429 || status === 503 || code === 'request_running') return true;
  return (
    status === 0 && (request.method !== 'POST' || TAKES_KEY.test(new URL(request.url).pathname))
  );
}

/** @returns milliseconds before the next attempt. */
function pauseMs(outcome: Response | MayflyError, attempt: number): number {
  const asked = outcome instanceof Response ? Number(outcome.headers.get('retry-after')) * 1000 : 0;
  const doubled = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_BACK_OFF_MS);
  const backOff = doubled * (1 + Math.random() / 4);
  return Math.min(asked > 0 ? asked : backOff, LONGEST_PAUSE_MS);
}

/** Resolves after `ms` milliseconds. Rejects with the reason of the signal when it aborts. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      stopTimer(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const timer = startTimer(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

async function errorOf(request: Request, response: Response): Promise<MayflyError> {
  if (isRedirect(response)) {
    await response.body?.cancel();
    return redirected(request, response);
  }
  const text = await response.text().catch(() => '');
  const body = parsed(text);
  if (body) return new MayflyError(response.status, explained(response, inClientTerms(body)));
  return new MayflyError(response.status, text === '' ? {} : foreign(request, response, text));
}

/** With the names of calls and variables that the reader of the error can change. */
function inClientTerms(body: Partial<ErrorBody>): Partial<ErrorBody> {
  if (typeof body.error !== 'string') return body;
  const error = body.error
    .replace('GET /api/mailboxes/{name}/mark', 'inbox.mark()')
    .replace('GET /api/messages/mark', 'mayfly.mark()')
    .replace('The token is invalid. Check its value', 'The token is invalid. Check MAYFLY_TOKEN')
    .replace(/^No endpoint at \/api\/api\/.*$/s, 'MAYFLY_URL must not end in /api.');
  return { ...body, error };
}

/** The body of an error of something else than the service, which answers with JSON. */
function foreign({ url }: Request, { status }: Response, text: string): Partial<ErrorBody> {
  const [base = url] = /^.*?(?=\/api\/)/.exec(url) ?? [];
  const form = /^\s*</.test(text) ? 'HTML' : 'text';
  const cause =
    status >= 500 ? 'Mayfly behind it may be down, or MAYFLY_URL wrong' : 'check MAYFLY_URL';
  return {
    code: 'not_json',
    error: `${base} answers ${status} with ${form} and is not Mayfly: ${cause}.`,
  };
}

/**
 * The body of an error, with the code `unsupported` if an older service does not know what was
 * asked for. A service without the header `Mayfly-Version` is older.
 */
function explained({ status, headers }: Response, body: Partial<ErrorBody>): Partial<ErrorBody> {
  const version = headers.get('mayfly-version');
  if (minorOf(version ?? '') >= minorOf(VERSION)) return body;
  const isUnknown = status === 405 ? body.code : UNKNOWN.test(body.error ?? '');
  if (!isUnknown) return body;
  const error = `The service (version ${version ?? 'unknown'}) is older than this client (${VERSION}): ${body.error}`;
  return { ...body, code: 'unsupported', error };
}

/** A number that orders versions by major and minor. */
function minorOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1e4 + minor;
}

/** Null for a text that is not JSON. */
export function parsed(text: string): Partial<ErrorBody> | null {
  try {
    return JSON.parse(text) as Partial<ErrorBody>; // a proxy can answer with anything: each field is optional
  } catch {
    return null;
  }
}

/** What helps where no program listens. A connection to another port is that to a proxy. */
function adviceOf(reason: string, { port, protocol }: URL): string {
  const [, asked] = /ECONNREFUSED .*:(\d+)$/.exec(reason) ?? [];
  const isProxy = asked !== undefined && asked !== (port || DEFAULT_PORTS[protocol]);
  if (isProxy) return '. It is the proxy of the environment: check HTTP_PROXY and NO_PROXY.';
  return /ECONNREFUSED|ENOTFOUND/.test(reason) ? '. Start Mayfly, or check MAYFLY_URL.' : '';
}

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

function unavailable({ url }: Request, cause: unknown): MayflyError {
  const reason = reasonOf(cause);
  const advice = adviceOf(reason, new URL(url));
  const error =
    cause instanceof Unanswered
      ? `${url} has not answered: ${cause.message}`
      : `${url} cannot be reached: ${reason}${advice}`;
  return new MayflyError(0, { code: 'unavailable', error }, { cause });
}

/** Why a request ended without a response. @throws the error if it ended in another way. */
export function unansweredOf(error: unknown): Unanswered {
  if (error instanceof MayflyError && error.cause instanceof Unanswered) return error.cause;
  throw error;
}

/**
 * Node hides the reason in the cause, and has no message for a host with several addresses. In
 * Jest, its errors are not those of `Error`.
 */
function reasonOf(error: unknown): string {
  const { cause = error } = Object(error) as { cause?: unknown }; // each field is looked at
  const { message, code, name } = Object(cause) as Partial<Record<string, string>>; // as above
  return message || code || name || String(cause);
}
