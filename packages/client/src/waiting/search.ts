import { GRACE_MS, bodyOf, type Connection } from '../connection/api.js';
import { type Criteria, failedPatterns, queryOf } from './criteria.js';
import type { NearMisses } from './near-misses.js';
import type { Message, WaitResult } from '../types.js';

/** Seconds of one request. Proxies often close a connection after 30 s without a byte. */
const REQUEST_SECONDS = 25;
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
  { api, fetchWithin }: Connection,
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
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    const from = queryOf(mark === undefined ? criteria : { ...criteria, mark });
    const query = readsWhatIsThere
      ? { count: PAGE, timeout: 0 }
      : { count: 1, timeout: Math.min(left, REQUEST_SECONDS) };
    const result: WaitResult = bodyOf(
      await api.GET('/api/mailboxes/{name}/messages/wait', {
        params: { path: { name: mailbox }, query: { ...from, ...query, ...shown } },
        signal: signal ?? null,
        fetch: fetchWithin(Math.max(0, until - Date.now()) + GRACE_MS),
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
