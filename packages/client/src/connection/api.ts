import { now } from './clock.ts';
import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from '../contract.gen.ts';
import { MayflyError } from '../errors.ts';
import { lastResponseAt } from '../waiting/limits.ts';
import { withoutProxy } from './loopback.ts';
import { type Attempt, parsed, retrying, wholeResponse } from './retrying-fetch.ts';

export interface ClientOptions {
  /** Address of the service; by default `MAYFLY_URL`, or http://localhost:3000. */
  url?: string;
  /** API token; by default `MAYFLY_TOKEN`. */
  token?: string;
  /** Replaces the global `fetch`. Its second argument has the signal that ends a request. */
  fetch?: typeof fetch;
}

/** Of a request and its repeats. */
const TOTAL_MS = 120_000;
/** Of one attempt. The service answers a wait after 55 s at the latest. */
const RESPONSE_MS = 70_000;

/**
 * Every operation of the service, except streams of events. A response other than 2xx rejects with
 * MayflyError.
 */
export type Api = Client<Omit<paths, '/api/events' | '/api/mailboxes/{name}/events'>>;

/** What a request needs, and the fetch for those that openapi-fetch does not make. @internal */
export interface Connection {
  readonly api: Api;
  readonly url: string;
  readonly token: string;
  /**
   * A fetch with other limits of time than `api` has: of all attempts, and in milliseconds of each.
   * It ends before the test.
   * @param refreshed the request as an attempt sends it
   */
  readonly fetchUntil: (
    giveUpAt: number,
    responseMs: number,
    refreshed?: (request: Request) => Request,
  ) => Attempt;
  /** A fetch of a stream, which the signal ends. */
  readonly fetchStream: (signal: AbortSignal) => Attempt;
}

/** @throws {TypeError} without a token, and for a URL or token of the wrong form. @internal */
export function connect(options: ClientOptions = {}): Connection {
  const { url: _url, token: _token, fetch: _fetch, ...others } = options;
  refuseOptions('createClient()', others);
  const url = serviceUrl(options.url || variable('MAYFLY_URL') || 'http://localhost:3000');
  const token = options.token || variable('MAYFLY_TOKEN');
  if (!token)
    throw new TypeError(
      'The API token is missing. Set MAYFLY_TOKEN, or call createClient({ token }).',
    );
  if (!/^[!-~]+$/.test(token))
    throw new TypeError('The API token has a character that no token has.');
  const direct = withoutProxy(url);
  const fetchOnce: typeof fetch =
    options.fetch ?? ((request, init) => fetch(request, { ...init, ...direct }));
  const fetchUntil: Connection['fetchUntil'] = (giveUpAt, responseMs, refreshed) => {
    const attempt: Attempt = (request) => {
      const longest = Math.min(responseMs, giveUpAt - now());
      const left = lastResponseAt() - now();
      const ms = Math.max(0, Math.min(longest, left));
      return wholeResponse(fetchOnce, ms, left <= longest)(refreshed?.(request) ?? request);
    };
    return retrying(attempt, () => Math.min(giveUpAt, lastResponseAt()));
  };
  const api = createFetchClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
    fetch: (request) => fetchUntil(now() + TOTAL_MS, RESPONSE_MS)(request),
  });
  api.use({
    onRequest: ({ request, params }) => {
      Object.values(params.path ?? {}).forEach(refuseDots);
      if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
        request.headers.set('idempotency-key', crypto.randomUUID());
      }
    },
    onResponse: async ({ request, response, options: { parseAs } }) => {
      const { status } = response;
      const isDeleted = status === 204 && request.method === 'DELETE';
      if (parseAs !== 'json' || isDeleted || parsed(await response.clone().text())) return;
      throw notOfMayfly(response, request, 'not_json', 'JSON');
    },
  });
  const fetchStream: Connection['fetchStream'] = (signal) =>
    retrying(
      (request) => fetchOnce(request, { signal }),
      () => Infinity,
    );
  return { api, url, token, fetchUntil, fetchStream };
}

/**
 * The body of a response. openapi-fetch types it as absent after an error, which the fetch has
 * thrown. @internal
 */
export function bodyOf<Body>({ data }: { data?: Body }): Body {
  if (data === undefined) throw new TypeError('The response has no body.');
  return data;
}

/** What is thrown when something else answers. @internal */
export function notOfMayfly(
  { status }: Response,
  { url }: Request,
  code: string,
  expected: string,
): MayflyError {
  const error = `The response of ${url} is not ${expected}. Check the URL.`;
  return new MayflyError(status, { code, error });
}

/** @throws {TypeError} for a part of a path that names another resource. @internal */
export function refuseDots(part: unknown): void {
  if (typeof part !== 'string')
    throw new TypeError(`A name or an id must be a text, not ${String(part)}.`);
  if (/^\.{0,2}$/.test(part))
    throw new TypeError('A name or an id must not be empty, "." or "..".');
}

/**
 * A program in JavaScript can pass options that do not exist, or a text in place of options.
 * @throws {TypeError} for those that a call does not know. @internal
 */
export function refuseOptions(call: string, others: object): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`${call} has no option '${unknown}'.`);
}

/** @throws {TypeError} unless it is a URL of HTTP of a host. Its text can contain a password. */
function serviceUrl(text: string): string {
  const { protocol, username, search, hash } = URL.canParse(text) ? new URL(text) : NO_URL;
  if (!/^https?:$/.test(protocol) || username || search || hash)
    throw new TypeError(
      'The URL must begin with http:// or https://, name a host, and have no user and no query.',
    );
  return text.trim().replace(/\/+$/, '');
}

const NO_URL = { protocol: '', username: '', search: '', hash: '' };

/** A browser has no environment. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name]?.trim();
}
