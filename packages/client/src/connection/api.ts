import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from '../contract.gen.js';
import { retryingFetch } from './retrying-fetch.js';

export interface ClientOptions {
  /** Address of the service; by default `MAYFLY_URL`, or http://localhost:3000. */
  url?: string;
  /** API token; by default `MAYFLY_TOKEN`. */
  token?: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** Every operation of the service. A response other than 2xx rejects with MayflyError. */
export type Api = Client<paths>;

/** What a request needs, and the fetch for those that openapi-fetch does not make. @internal */
export interface Connection {
  readonly api: Api;
  readonly url: string;
  readonly token: string;
  readonly fetch: (request: Request) => Promise<Response>;
}

/** @throws {TypeError} without a token. @internal */
export function connect(options: ClientOptions = {}): Connection {
  const url = (options.url ?? variable('MAYFLY_URL') ?? 'http://localhost:3000').replace(
    /\/+$/,
    '',
  );
  const token = options.token ?? variable('MAYFLY_TOKEN');
  if (!token)
    throw new TypeError(
      'The API token is missing. Set MAYFLY_TOKEN, or call createClient({ token }).',
    );
  const fetchOnce = options.fetch ?? ((request: string | URL | Request) => fetch(request));
  const retrying = retryingFetch(fetchOnce);
  const api = createFetchClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    fetch: retrying,
  });
  api.use({
    onRequest: ({ request }) => {
      if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
        request.headers.set('idempotency-key', crypto.randomUUID());
      }
    },
  });
  return { api, url, token, fetch: retrying };
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
