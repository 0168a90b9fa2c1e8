import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from '../contract.gen.js';
import { MayflyError } from '../errors.js';
import { retryingFetch } from './retrying-fetch.js';

export interface ClientOptions {
  /** Address of the service; by default `MAYFLY_URL`, or http://localhost:3000. */
  url?: string;
  /** API token; by default `MAYFLY_TOKEN`. */
  token?: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** Of a request and its repeats. */
const TOTAL_MS = 120_000;
/** How much later than asked for the response to a wait may come. @internal */
export const GRACE_MS = 15_000;

/**
 * Every operation of the service, except streams of events. A response other than 2xx rejects with
 * MayflyError.
 */
export type Api = Client<paths>;

/** What a request needs, and the fetch for those that openapi-fetch does not make. @internal */
export interface Connection {
  readonly api: Api;
  readonly url: string;
  readonly token: string;
  /** A fetch with other limits of time than `api` has. */
  readonly fetchWithin: (
    totalMs: number,
    responseMs?: number,
  ) => (request: Request) => Promise<Response>;
}

/** @throws {TypeError} without a token, and for a URL or token of the wrong form. @internal */
export function connect(options: ClientOptions = {}): Connection {
  const url = (options.url || variable('MAYFLY_URL') || 'http://localhost:3000').replace(
    /\/+$/,
    '',
  );
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError(`The URL "${url}" must begin with http:// or https://.`);
  const token = options.token || variable('MAYFLY_TOKEN');
  if (!token)
    throw new TypeError(
      'The API token is missing. Set MAYFLY_TOKEN, or call createClient({ token }).',
    );
  if (!/^[!-~]+$/.test(token))
    throw new TypeError('The API token has a character that no token has.');
  const fetchOnce = options.fetch ?? ((request: string | URL | Request) => fetch(request));
  const fetchWithin = (totalMs: number, responseMs?: number) =>
    retryingFetch(fetchOnce, totalMs, responseMs);
  const api = createFetchClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    fetch: fetchWithin(TOTAL_MS),
  });
  api.use({
    onRequest: ({ request }) => {
      if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
        request.headers.set('idempotency-key', crypto.randomUUID());
      }
    },
    onResponse: ({ response, options: { parseAs } }) => {
      const { status, headers, url: from } = response;
      if (parseAs !== 'json' || status === 204 || /json/.test(headers.get('content-type') ?? ''))
        return;
      const error = `The response of ${from} is not JSON. Check the URL.`;
      throw new MayflyError(status, { code: 'not_json', error });
    },
  });
  return { api, url, token, fetchWithin };
}

/**
 * The body of a response. openapi-fetch types it as absent after an error, which the fetch has
 * thrown. @internal
 */
export function bodyOf<Body>({ data }: { data?: Body }): Body {
  if (data === undefined) throw new TypeError('The response has no body.');
  return data;
}

/** A browser has no environment. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}
