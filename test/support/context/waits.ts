/** Waits over real HTTP, as a client holds them open. */
import type { Context } from '../../../core/context.ts';
import type { ListedMessage } from '../clients/rest-client.ts';
import type { EventServer } from '../clients/event-stream.ts';
import { eventually } from '../mocha/eventually.ts';
import type { Service } from '../service.ts';

export interface WaitAnswer {
  status: number;
  headers: Headers;
  /** Milliseconds until the response. */
  tookMs: number;
  body: {
    outcome: 'matched' | 'timeout';
    messages: (ListedMessage & { extracted?: { code: string | null }; mailbox?: string })[];
    mark: string;
    settled: boolean;
    waitedMs: number;
    unmatched: {
      count: number;
      nearest: { messageId: string; subject: string; failed: string[]; mailbox?: string }[];
    };
    code?: string;
    error?: string;
  };
}

export interface WaitClient {
  readonly server: EventServer;
  /** Waits on the mailbox `box` unless the query is a path. */
  wait: (query?: string, options?: { token?: string; signal?: AbortSignal }) => Promise<WaitAnswer>;
  /** A wait that has been read once and sleeps. */
  sleeping: (
    query?: string,
    options?: { token?: string; signal?: AbortSignal },
  ) => Promise<{ answer: Promise<WaitAnswer> }>;
}

/**
 * Clearly before the timeout of a wait or claim, also on a loaded machine. Distinguishes a wake-up
 * from a timeout.
 */
export const WELL_BEFORE_MS = 15_000;

/** Number of requests that wait for messages. */
export async function openWaits({ metrics }: Context): Promise<number> {
  return (await metrics.http.waits.get()).values[0]?.value ?? 0;
}

/**
 * Resolves when a request that `start` makes waits for a message. The request after it is answered
 * when the first one has read the database.
 */
export async function whenWaiting<Started>(
  context: Context,
  { url }: EventServer,
  start: () => Started,
): Promise<Started> {
  const before = await openWaits(context);
  const started = start();
  await eventually('a request to wait', async () => (await openWaits(context)) > before);
  await fetch(`${url}/healthz`);
  return started;
}

export async function openWaitClient(
  test: Pick<Service, 'context' | 'listen' | 'workspace'>,
): Promise<WaitClient> {
  const server = await test.listen();
  const wait: WaitClient['wait'] = async (query = '', { token, signal } = {}) => {
    const path = query.startsWith('/') ? query : `/api/mailboxes/box/messages/wait${query}`;
    const began = performance.now();
    const answer = await fetch(`${server.url}${path}`, {
      headers: { Authorization: `Bearer ${token ?? test.workspace.token}` },
      ...(signal && { signal }),
    });
    const body = (await answer.json()) as WaitAnswer['body'];
    const tookMs = performance.now() - began;
    return { status: answer.status, headers: answer.headers, tookMs, body };
  };
  return {
    server,
    wait,
    sleeping: (query, options) =>
      whenWaiting(test.context, server, () => {
        const answer = wait(query, options);
        answer.catch(() => undefined);
        return { answer };
      }),
  };
}
