/** A client of the REST API that retries. Responses of any status are returned. */
import { setTimeout as delay } from 'node:timers/promises';

const ANSWER_WITHIN_MS = 30_000;
const PAUSE_MS = 100;

export interface ApiAnswer {
  status: number;
  body: Buffer;
}

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  idempotencyKey?: string;
}

export interface Api {
  /** One request. @throws if the connection is refused or lost, or times out. */
  once: (request: ApiRequest) => Promise<ApiAnswer>;
  /** Repeats the request until its status is below 500. @throws after `withinMs`. */
  patiently: (request: ApiRequest, withinMs?: number) => Promise<ApiAnswer>;
  /** The JSON of a successful response, with the same retries. */
  json: <Body>(request: ApiRequest) => Promise<Body>;
}

/** @param where is called for each request: the address changes when the product restarts. */
export function openApi(where: () => { apiUrl: string; token: string }): Api {
  const once = async ({ method = 'GET', path, body, idempotencyKey }: ApiRequest) => {
    const { apiUrl, token } = where();
    const answer = await fetch(`${apiUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  };
  const patiently = async (request: ApiRequest, withinMs = 60_000) => {
    const end = Date.now() + withinMs;
    for (;;) {
      const answer = await once(request).catch((error: unknown) => {
        if (Date.now() > end) throw error;
        return null;
      });
      if (answer && (answer.status < 500 || Date.now() > end)) return answer;
      await delay(PAUSE_MS);
    }
  };
  return {
    once,
    patiently,
    async json<Body>(request: ApiRequest) {
      const { status, body } = await patiently(request);
      if (status >= 300) throw new Error(`${request.path}: ${status} ${body.toString()}`);
      return JSON.parse(body.toString()) as Body;
    },
  };
}
