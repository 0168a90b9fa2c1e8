import { signal } from '@preact/signals';
import { errorFrom, offline } from './api-error.ts';
import { recordRateLimit, waitForRetry } from './rate-limit.ts';

/** Sent with every change. Kept in memory only; the session cookie is in the browser. */
export const csrfToken = signal<string | null>(null);

/** Error message of a 401 response; null while requests are authorized. */
export const refusal = signal<string | null>(null);

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface RequestOptions {
  /** JSON body. */
  body?: unknown;
  /** A mail, sent as `message/rfc822`. */
  mail?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Lets the request outlive the page. */
  keepalive?: boolean;
}

/**
 * Sends a request to the REST API. A 429 response is retried after its `Retry-After`. Returns
 * `undefined` for 204.
 * @throws {ApiError} for any other error response, and if there is no response.
 */
export async function request<Answer>(
  method: Method,
  path: string,
  sent?: RequestOptions,
): Promise<Answer> {
  const response = await respond(method, path, sent);
  if (response.status === 204) return undefined as Answer;
  return (await response.json()) as Answer;
}

/** Same as `request`, for responses that are not JSON. */
export async function respond(
  method: Method,
  path: string,
  sent: RequestOptions = {},
): Promise<Response> {
  for (;;) {
    const response = await ask(method, path, sent);
    recordRateLimit(response.headers.get('RateLimit'));
    if (response.ok) return response;
    const isByToken = sent.headers?.['Authorization'] !== undefined;
    if (response.status === 429 && !isByToken) {
      await waitForRetry(response);
      continue;
    }
    const error = await errorFrom(response);
    if (error.status === 401 && !isByToken) refusal.value = error.message;
    throw error;
  }
}

async function ask(method: Method, path: string, sent: RequestOptions): Promise<Response> {
  const { body, mail, headers, signal, keepalive = false } = sent;
  try {
    return await fetch(path, {
      method,
      keepalive,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(mail === undefined ? {} : { 'Content-Type': 'message/rfc822' }),
        ...(method === 'GET' || csrfToken.value === null
          ? {}
          : { 'X-CSRF-Token': csrfToken.value }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(mail === undefined ? {} : { body: mail }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw offline();
  }
}
