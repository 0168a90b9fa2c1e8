/** A client of the REST API over HTTP, as users write it. */
import { eventually } from '../mocha/eventually.ts';

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
}

/**
 * Repeats a request after 503: after a crash of Redis each process connects again in its own time.
 * @param apiUrl `http://HOST:PORT/api`
 */
export function restClient(apiUrl: string, token: string): RestClient {
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const once = async () => {
      const given = await fetch(`${apiUrl}${path}`, { ...init, headers });
      return given.status === 503 ? null : given;
    };
    const answer = await eventually('another status than 503', once, 60_000, 100);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const call = async <Answer>(path: string, init?: RequestInit) =>
    (await (await ask(path, init)).json()) as Answer;
  interface Page {
    messages: ListedMessage[];
    nextCursor: string | null;
    total: number;
  }

  return {
    createMailbox: (name) => call('/mailboxes', { method: 'POST', body: JSON.stringify({ name }) }),
    registerWebhook: (name, url) =>
      call(`/mailboxes/${name}/webhooks`, { method: 'POST', body: JSON.stringify({ url }) }),
    send: (name, mail) =>
      call(`/mailboxes/${name}/messages`, { method: 'POST', body: JSON.stringify(mail) }),
    messageCount: async (name) => (await call<Page>(`/mailboxes/${name}/messages?limit=1`)).total,
    raw: async (name, id) =>
      Buffer.from(await (await ask(`/mailboxes/${name}/messages/${id}/raw`)).arrayBuffer()),
    async messages(name) {
      const all: ListedMessage[] = [];
      let after: string | null = '';
      while (after !== null) {
        const page: Page = await call(
          `/mailboxes/${name}/messages?limit=100${after ? `&after=${after}` : ''}`,
        );
        all.push(...page.messages);
        after = page.nextCursor;
      }
      return all;
    },
  };
}
