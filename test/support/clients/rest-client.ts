/** Clients of the REST API over HTTP, as users write them. */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../mocha/eventually.ts';

const ANSWER_WITHIN_MS = 30_000;
const REPEAT_WITHIN_MS = 60_000;
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

/** A client that retries. Responses of any status are returned. */
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
  const patiently = async (request: ApiRequest, withinMs = REPEAT_WITHIN_MS) => {
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
    json: async <Body>(request: ApiRequest) =>
      JSON.parse(textOf(request, await patiently(request))) as Body,
  };
}

export interface ListedMessage {
  id: string;
  from: string;
  subject: string;
  text?: string;
  html?: string;
  receivedAt: string;
  tag?: string;
  parseError?: string;
  attachments: { filename: string; contentType: string; size: number }[];
}

export interface RestClient {
  readonly createMailbox: (name: string) => Promise<{ id: string; address: string }>;
  readonly registerWebhook: (name: string, url: string) => Promise<{ id: string; secret: string }>;
  /** Sends from the mailbox. */
  readonly send: (
    name: string,
    mail: { to: string[]; subject: string; text: string },
  ) => Promise<unknown>;
  readonly messageCount: (name: string) => Promise<number>;
  /** Every message of the mailbox, newest first, page by page. */
  readonly messages: (name: string) => Promise<ListedMessage[]>;
  /** The raw mail of a message. */
  readonly raw: (name: string, id: string) => Promise<Buffer>;
  /** Any other request. */
  readonly json: <Answer>(
    method: ApiRequest['method'],
    path: string,
    body?: object,
  ) => Promise<Answer>;
}

/**
 * Repeats a request after 503: after a crash of Redis each process connects again in its own time.
 * @param apiUrl `http://HOST:PORT/api`
 */
export function restClient(apiUrl: string, token: string): RestClient {
  const { once } = openApi(() => ({ apiUrl, token }));
  const ask = (request: ApiRequest) => {
    const answered = async () => {
      const answer = await once(request);
      return answer.status === 503 ? null : answer;
    };
    return eventually('another status than 503', answered, REPEAT_WITHIN_MS, PAUSE_MS);
  };
  const json = async <Answer>(method: ApiRequest['method'], path: string, body?: object) =>
    JSON.parse(textOf({ path }, await ask({ method, path, body }))) as Answer;
  interface Page {
    messages: ListedMessage[];
    nextCursor: string | null;
    total: number;
  }

  return {
    createMailbox: (name) => json('POST', '/mailboxes', { name }),
    registerWebhook: (name, url) => json('POST', `/mailboxes/${name}/webhooks`, { url }),
    send: (name, mail) => json('POST', `/mailboxes/${name}/messages`, mail),
    messageCount: async (name) =>
      (await json<Page>('GET', `/mailboxes/${name}/messages?limit=1`)).total,
    async raw(name, id) {
      const path = `/mailboxes/${name}/messages/${id}/raw`;
      return successful({ path }, await ask({ path }));
    },
    async messages(name) {
      const all: ListedMessage[] = [];
      let after: string | null = '';
      while (after !== null) {
        const path = `/mailboxes/${name}/messages?limit=100${after ? `&after=${after}` : ''}`;
        const page: Page = await json('GET', path);
        all.push(...page.messages);
        after = page.nextCursor;
      }
      return all;
    },
    json,
  };
}

function textOf(request: ApiRequest, answer: ApiAnswer): string {
  return successful(request, answer).toString();
}

function successful({ path }: ApiRequest, { status, body }: ApiAnswer): Buffer {
  if (status >= 300) throw new Error(`${path}: ${status} ${body.toString()}`);
  return body;
}
