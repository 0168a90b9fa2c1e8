import { now } from '../connection/clock.ts';
import { bodyOf, type Connection } from '../connection/api.ts';
import { type Criteria, failedPatterns, queryOf } from './criteria.ts';
import { endsTest, type Limits, REQUEST_SECONDS, RESPONSE_MS, secondsUntil } from './limits.ts';
import type { NearMisses } from './near-misses.ts';
import type { WaitQuery, WaitResult } from '../connection/bodies.ts';
import type { MailboxData, Message, NearMiss } from '../types.ts';

/** Messages of a request that reads those that are there. */
const PAGE = 100;
/** A response can be late by half of it for the next one to come before the end of the test. */
const LAST_SECONDS = 2;

/** Whose messages are looked at. @internal */
export interface Place {
  readonly connection: Connection;
  /** Of the mailbox; null for all mailboxes of the workspace. */
  readonly name: string | null;
  /** The mailbox, where it is known. */
  readonly known?: Pick<MailboxData, 'name' | 'address' | 'createdAt'> | undefined;
}

/** Which of several messages that match comes first. */
export type Order = 'oldest' | 'newest';

export interface SearchOptions extends Omit<Limits, 'isCut'> {
  order: Order;
  signal?: AbortSignal | undefined;
  /** Whether the messages have `extracted`. They then have no text unless a pattern needs it. */
  extract?: boolean;
  /** Called before a request that ends shortly before the test. */
  beforeLast?: () => void;
}

/** The state at the end of a search. */
export interface Ended {
  /** Whether all mail that was accepted before the end has been considered. */
  settled: boolean;
}

/**
 * Yields the messages that match: those that are there in the order asked for, then each as it
 * arrives. Each request continues at the mark of the one before, so no message is missed.
 * @param misses collects the messages that do not match.
 * @internal
 */
export async function* search(
  { connection: { api, fetchUntil }, name }: Place,
  criteria: Criteria,
  { until, giveUpAt, order, signal, extract = false, beforeLast }: SearchOptions,
  misses: NearMisses,
): AsyncGenerator<Message, Ended> {
  const view: 'full' | 'summary' = criteria.text instanceof RegExp ? 'full' : 'summary';
  const query = { ...queryOf(criteria), ...(extract ? { extract, view } : {}) };
  let { mark } = criteria;

  /** @param seconds that the request waits, as its repeats do anew. */
  const ask = async (asked: WaitQuery, seconds: () => number): Promise<WaitResult> => {
    const params = {
      query: { ...query, ...(mark === undefined ? {} : { mark }), ...asked, timeout: seconds() },
    };
    const limits = {
      signal: signal ?? null,
      fetch: fetchUntil(giveUpAt, RESPONSE_MS, (request) => withTimeout(request, seconds())),
    };
    const result: WaitResult = bodyOf(
      name === null
        ? await api.GET('/api/messages/wait', { params, ...limits })
        : await api.GET('/api/mailboxes/{name}/messages/wait', {
            params: { ...params, path: { name } },
            ...limits,
          }),
    );
    // After a match the mark ends there, and what failed after it is considered again.
    misses.add(result.unmatched.nearest, result.messages.length === 0 ? result.unmatched.count : 0);
    return result;
  };
  const fits = (message: Message) => {
    const failed = failedPatterns(criteria, message);
    if (failed.length === 0) return true;
    misses.add([missOf(message, failed)]);
    return false;
  };
  // Whether a message is claimed changes: one that did not match can match later.
  const continueAt = (result: WaitResult) => {
    if (result.messages.length > 0 || criteria.claimed === undefined) ({ mark } = result);
    return result;
  };
  const nextPage = async () => continueAt(await ask({ count: PAGE, order: 'oldest' }, () => 0));

  // The last seconds before the end of a test are a request of its own: if its response is late,
  // the one before it has told what is there.
  let isSplit = false;
  for (;;) {
    const left = () => Math.min(secondsUntil(until), REQUEST_SECONDS);
    const splits: boolean = !isSplit && endsTest(until) && secondsUntil(until) <= REQUEST_SECONDS;
    if (isSplit) beforeLast?.();
    isSplit ||= splits;
    const first = await ask(
      { count: 1, order },
      splits ? () => Math.max(0, left() - LAST_SECONDS) : left,
    );
    yield* first.messages.filter(fits);
    // The mark of the newest message covers those before it, which are still to be read.
    if (first.messages.length === 0 || order === 'oldest') continueAt(first);
    let last = first;
    if (first.messages.length > 0) {
      const pages: Message[][] = [];
      for (last = await nextPage(); last.messages.length > 0; last = await nextPage()) {
        if (order === 'oldest') yield* last.messages.filter(fits);
        else pages.push(last.messages);
      }
      const [{ id } = { id: '' }] = first.messages;
      const others = pages.flat().filter((message) => message.id !== id);
      yield* others.reverse().filter(fits);
    }
    if (now() >= until) return { settled: last.settled };
  }
}

/** A message that does not match. @internal */
export function missOf({ id, subject, mailbox }: Message, failed: string[]): NearMiss {
  return { messageId: id, subject, ...(mailbox === undefined ? {} : { mailbox }), failed };
}

/** A repeat waits for the time that is left. */
function withTimeout(request: Request, seconds: number): Request {
  return new Request(request.url.replace(/([?&]timeout=)\d+/, `$1${seconds}`), request);
}
