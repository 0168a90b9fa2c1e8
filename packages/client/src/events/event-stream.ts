import { startTimer, stopTimer } from '../connection/clock.ts';
import { type Connection, notOfMayfly } from '../connection/api.ts';
import type { ErrorBody, WaitQuery } from '../connection/bodies.ts';
import { pause } from '../connection/retrying-fetch.ts';
import { MayflyError } from '../errors.ts';
import type { LiveEvent } from '../types.ts';
import { type TextCriteria, queryOf, refusePatterns } from '../waiting/criteria.ts';
import { type ServerEvent, serverEvents } from './server-events.ts';

/** A comment is sent every 15 s: after three of them are missing, the connection is broken. */
const SILENCE_MS = 45_000;
const RECONNECT_MS = 500;
const STREAM = 'text/event-stream';
/** Ids that are kept to discard events that are sent twice. */
const KEPT_IDS = 1000;

export interface EventOptions extends Omit<TextCriteria, 'since'> {
  /** Ends the iteration. */
  signal?: AbortSignal;
  /**
   * Called when the subscription is active, after each connection: every later event is reported.
   */
  onReady?: () => void;
}

/**
 * The live events at a path, from now on or after a mark. A broken connection is opened again where
 * it broke, however long the service is away. A stream of a mailbox ends when the mailbox is
 * deleted.
 * @throws {MayflyError} when the token is revoked, or the mailbox does not exist, and when the
 * first connection cannot be opened.
 * @internal
 */
export async function* liveEvents(
  connection: Connection,
  path: string,
  { signal, onReady, ...criteria }: EventOptions,
): AsyncGenerator<LiveEvent, void> {
  refusePatterns('A stream', criteria);
  const query = queryOf(criteria);
  const seen = new Set<string>();
  let lastId: string | undefined;
  let wasOpen = false;
  while (!signal?.aborted) {
    try {
      for await (const { id, name, data } of open(connection, path, { query, lastId, signal })) {
        wasOpen = true;
        if (name === 'ready') onReady?.();
        if (name === 'reset') yield { type: 'reset' };
        if (name === 'closed') throw new MayflyError(401, JSON.parse(data) as ErrorBody);
        if (name === 'ready' || name === 'reset' || seen.has(id)) continue;
        if (id) {
          lastId = id;
          remember(seen, id);
        }
        const event = JSON.parse(data) as LiveEvent; // the contract names the type of the data
        yield event;
        if (event.type === 'mailbox.deleted' && path !== '/api/events') return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof MayflyError && !(wasOpen && isOutage(error))) throw error;
    }
    await pause(RECONNECT_MS, signal).catch(() => undefined);
  }
}

function isOutage({ status }: MayflyError): boolean {
  return status === 0 || status >= 500;
}

interface Opening {
  query: WaitQuery;
  lastId: string | undefined;
  signal: AbortSignal | undefined;
}

/** The events of one connection, which ends after a silence. */
async function* open(
  { url, token, fetchStream }: Connection,
  path: string,
  { query, lastId, signal }: Opening,
): AsyncGenerator<ServerEvent> {
  const silence = new AbortController();
  const end = () => {
    silence.abort();
  };
  const heard = () => {
    stopTimer(timer);
    timer = startTimer(end, SILENCE_MS);
  };
  let timer = startTimer(end, SILENCE_MS);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const parameters = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, String(one)]),
      ),
    );
    const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
    const request = new Request(`${url}${path}${search}`, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: STREAM,
        ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
      },
      redirect: 'manual',
      signal: silence.signal,
    });
    const response = await fetchStream(silence.signal)(request);
    if (!response.body || !response.headers.get('content-type')?.startsWith(STREAM))
      throw notOfMayfly(response, request, 'not_a_stream', 'a stream of events');
    yield* serverEvents(response.body, heard);
  } finally {
    stopTimer(timer);
    signal?.removeEventListener('abort', end);
    end();
  }
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > KEPT_IDS && oldest !== undefined) seen.delete(oldest);
}
