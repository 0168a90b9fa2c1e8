import { bodyOf, type Connection } from '../connection/api.ts';
import { type Criteria, failedPatterns, queryOf } from './criteria.ts';
import { REQUEST_SECONDS, RESPONSE_MS, giveUpAt, secondsUntil } from './limits.ts';
import type { NearMisses } from './near-misses.ts';
import type { WaitResult } from '../connection/bodies.ts';
import type { Message } from '../types.ts';

/** Messages of a request that reads those that are there. */
const PAGE = 100;

export interface SearchOptions {
  /** Seconds from now. */
  timeout: number;
  signal?: AbortSignal | undefined;
  /** Whether the messages have `extracted`. They then have no text unless a pattern needs it. */
  extract?: boolean;
}

/** The state at the end of a search. */
export interface Ended {
  /** Whether all mail that was accepted before the end has been considered. */
  settled: boolean;
}

/**
 * Yields the messages that match, oldest first, as they arrive. Each request continues at the mark
 * of the one before, so no message is missed. Ends after `timeout` seconds.
 * @param misses collects the messages that do not match.
 */
export async function* search(
  { api, fetchUntil }: Connection,
  mailbox: string,
  criteria: Criteria,
  { timeout, signal, extract = false }: SearchOptions,
  misses: NearMisses,
): AsyncGenerator<Message, Ended> {
  const until = Date.now() + timeout * 1000;
  let { mark } = criteria;
  let readsWhatIsThere = false;
  const view: 'full' | 'summary' = criteria.text instanceof RegExp ? 'full' : 'summary';
  const shown = extract ? { extract, view } : {};
  for (;;) {
    const asked = () => (readsWhatIsThere ? 0 : Math.min(secondsUntil(until), REQUEST_SECONDS));
    const from = queryOf(mark === undefined ? criteria : { ...criteria, mark });
    const query = { count: readsWhatIsThere ? PAGE : 1, timeout: asked() };
    const result: WaitResult = bodyOf(
      await api.GET('/api/mailboxes/{name}/messages/wait', {
        params: { path: { name: mailbox }, query: { ...from, ...query, ...shown } },
        signal: signal ?? null,
        fetch: fetchUntil(giveUpAt(until), RESPONSE_MS, (request) => withTimeout(request, asked())),
      }),
    );
    // After a match the mark ends there, and what failed after it is considered again.
    misses.add(result.unmatched.nearest, result.messages.length === 0 ? result.unmatched.count : 0);
    for (const message of result.messages) {
      const failed = failedPatterns(criteria, message);
      if (failed.length === 0) yield message;
      else misses.add([{ messageId: message.id, subject: message.subject, failed }]);
    }
    if (result.messages.length === 0 && Date.now() >= until) return { settled: result.settled };
    // Whether a message is claimed changes: one that did not match can match later.
    if (result.messages.length > 0 || criteria.claimed === undefined) mark = result.mark;
    readsWhatIsThere = result.messages.length > 0;
  }
}

/** A repeat waits for the time that is left. */
function withTimeout(request: Request, seconds: number): Request {
  return new Request(request.url.replace(/([?&]timeout=)\d+/, `$1${seconds}`), request);
}
