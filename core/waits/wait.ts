/**
 * Waits for messages. The request follows the mailbox first, reads the database after that, and
 * only then sleeps, so a message that is committed at any time is seen by the reading or wakes it.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import { AppError, asAppError, errorText } from '../errors.ts';
import type { Documents } from '../matching/documents.ts';
import {
  type Considered,
  type Look,
  type MatchQuery,
  type NearMiss,
  openLook,
} from '../matching/look.ts';
import type { FoundMessage } from '../matching/message-source.ts';
import { comparePlaces, startAfter } from '../matching/reader.ts';
import type { Slices } from '../matching/slices.ts';
import type { OpenRequests } from '../limits/open-requests.ts';
import type { Extractions } from '../messages/extractions.ts';
import { lastNumberIn, markOf, placeOf } from '../messages/mark.ts';
import type { Arrivals } from './arrivals.ts';
import type { Feeds } from './feeds.ts';
import type { QueuedMail } from './settled.ts';
import { failAtExpiry, requirePermission, openSleep } from './sleep.ts';

/** A timeout is held back for so long while accepted mail is on its way. */
const SETTLE_MS = 1000;
const SETTLE_POLL_MS = 50;
const RETRY_MS = 1000;
const PROGRESS_POLL_MS = 20;
/** Rows that tell whether any are left. */
const FEW = 10;
/** A response is late by as much at most, while messages are still read for it. */
const LATE_MS = 1000;

/** What the waiting requests of a process share. */
export interface WaitServices {
  arrivals: Arrivals;
  documents: Documents;
  feeds: Feeds;
  slices: Slices;
  extractions: Extractions;
  openWaits: OpenRequests;
  queuedMail: QueuedMail;
}

export interface WaitRequest extends MatchQuery {
  /**
   * Number of messages that match and are shown at most, if `count` of the shown ones are enough.
   */
  most?: number;
  /** Seconds. */
  timeout: number;
}

/** What was considered when the messages are shown. */
export interface MatchResult {
  /** The first messages that were considered, in the order of their numbers. */
  considered: Considered[];
  unmatched: { count: number; nearest: NearMiss[] };
  /** The number to continue at: with `order` oldest, that of the last match. */
  next: number;
}

export interface WaitResult<Shown> extends Pick<MatchResult, 'unmatched'> {
  outcome: 'matched' | 'timeout';
  /** With a timeout, those that matched until then. */
  messages: Shown[];
  mark: string;
  /** False if accepted mail can still become visible, or messages were not looked at in time. */
  settled: boolean;
  waitedMs: number;
}

export interface Waiting {
  caller: Caller;
  /** Null for all mailboxes that the caller can use, those created during the wait included. */
  mailbox: MailboxRow | null;
  gone: AbortSignal;
}

/**
 * Resolves when `count` messages match at the same time, or after the timeout; null if `gone` is
 * aborted.
 * @param show reads the messages for the response, without those deleted meanwhile; its last call
 *   is the one that the result is of
 * @throws {AppError} `wait_limit`, `not_found` and `unauthorized` as soon as the mailbox or the
 *   token goes, `unavailable` if the database is away or the process stops.
 */
export async function waitForMessages<Shown>(
  context: Pick<Context, 'now' | 'store' | 'log'>,
  { arrivals, feeds, openWaits, queuedMail }: WaitServices,
  { caller, mailbox, gone }: Waiting,
  request: WaitRequest,
  show: (rows: FoundMessage[], found: MatchResult) => Promise<Shown[]>,
): Promise<WaitResult<Shown> | null> {
  const began = performance.now();
  const place = mailbox ?? placeOf(caller.workspace);
  const last = await lastNumberIn(context, place);
  const leave = openWaits.enter(caller.workspace.id);
  const deadline = began + request.timeout * 1000;
  const sleep = openSleep(gone);
  const { feed, source, leave: leaveFeed } = feeds.open(caller, mailbox, last);
  const most = request.most ?? request.count;

  const look = openLook(request, startOf(request, source.startOf), sleep.wake);
  const reading = feed.enter(look);
  const follower = { place, tokenId: caller.token.id, end: sleep.fail };
  const unfollow = arrivals.subscribe(follower, last);
  const forget = failAtExpiry(context, { caller, mailbox }, sleep.fail);

  const hasRead = () => {
    const [from, at] = [look.from(), reading.place()];
    return from !== null && at !== null && comparePlaces(at, from) > 0;
  };
  /**
   * Reads on, until this time at most, but something: otherwise a client that asks again by the
   * mark would not get on. @returns whether all that is stored now is considered
   */
  const catchUp = async (until: number): Promise<boolean> => {
    const read: { isUp: boolean; failure: unknown } = { isUp: false, failure: null };
    void reading
      .catchUp()
      .catch((error: unknown) => {
        read.failure = error;
      })
      .then(() => {
        read.isUp = true;
        sleep.wake();
      });
    while (!read.isUp && (performance.now() < until || !hasRead())) {
      await sleep.until(Math.max(until, performance.now() + PROGRESS_POLL_MS));
    }
    if (read.failure) throw read.failure as Error;
    return read.isUp && reading.isServed();
  };
  const resultOf = (matches: FoundMessage[], upTo: number): MatchResult => {
    const end = request.order === 'oldest' ? matches.at(-1) : undefined;
    const next = end ? end.number : upTo;
    return { considered: look.considered(), unmatched: look.unmatched(), next };
  };
  const upTo = () => Math.max(reading.place()?.number ?? 0, request.after ?? 0);
  /** Those of these messages that were deleted, or have expired. */
  const goneOf = async (rows: FoundMessage[]): Promise<Set<string>> => {
    const gone = new Set(rows.map(({ id }) => id));
    if (gone.size > 0) for (const { id } of await source.among([...gone])) gone.delete(id);
    return gone;
  };
  /** Resolves to null if fewer messages match than asked for. */
  const attempt = async (isLast: boolean) => {
    for (;;) {
      const rows = look.matches().slice(0, most);
      if (rows.length < request.count && !isLast) return null;
      const gone = await goneOf(rows);
      if (gone.size > 0) {
        look.forget(gone); // those after them count instead
        if (isLast) await catchUp(performance.now() + LATE_MS);
        else feed.stored();
        continue;
      }
      const found = resultOf(rows, upTo());
      const messages = await show(rows, found);
      const isMatched = messages.length >= request.count;
      if (!isMatched && !isLast) return null;
      return { found, messages, isMatched };
    }
  };
  /** Whether no message is after those that were considered. */
  const isUpToDate = async () => {
    const at = reading.place();
    const stored = await lastNumberIn(context, place);
    if (!at || at.number >= stored) return at !== null;
    const { rows, end } = await source.after(at, stored, FEW);
    return rows.length === 0 && end === null;
  };
  const settle = async () => {
    const giveUpAt = performance.now() + SETTLE_MS;
    let among: ReadonlySet<string> | undefined;
    for (;;) {
      among = (await queuedMail.unsettled(caller, mailbox, among)) ?? among;
      if (among?.size === 0) return true;
      if (performance.now() + SETTLE_POLL_MS > giveUpAt) return false;
      await sleep.until(performance.now() + SETTLE_POLL_MS, { evenIfWoken: true });
    }
  };
  /** The database was there at the start, so a failure before the end is retried. */
  const attemptAgain = async () => {
    try {
      return await attempt(false);
    } catch (error) {
      if (asAppError(error)?.code !== 'unavailable') throw error;
      context.log.debug('wait continues without the database', { fault: errorText(error) });
      return 'failed';
    }
  };

  try {
    await catchUp(Math.max(deadline, began + LATE_MS));
    let done = await attempt(false);
    let tried = look.version();
    let pauseMs = Infinity;
    const hasSlept = !done;
    while (!done && performance.now() < deadline) {
      await sleep.until(Math.min(deadline, performance.now() + pauseMs));
      if (performance.now() >= deadline) break;
      if (look.version() === tried && pauseMs === Infinity) continue;
      tried = look.version();
      const again = await attemptAgain();
      pauseMs = again === 'failed' ? RETRY_MS : Infinity;
      done = again === 'failed' ? null : again;
    }
    // The queue is read before the messages: what has left it is visible to the last reading.
    const settled = done
      ? (await queuedMail.unsettled(caller, mailbox))?.size === 0
      : await settle();
    if (!done) reading.checkClaims();
    const isComplete = done
      ? settled && (await isUpToDate())
      : await catchUp(performance.now() + LATE_MS);
    const { found, messages, isMatched } = done ?? (await lastAttempt(attempt));
    sleep.check();
    if (hasSlept) await requirePermission(context, { caller, mailbox });
    return {
      outcome: isMatched ? 'matched' : 'timeout',
      messages,
      mark: markOf(place, found.next),
      settled: settled && isComplete && !look.isCut(),
      waitedMs: Math.round(performance.now() - began),
      unmatched: found.unmatched,
    };
  } catch (error) {
    if (gone.aborted) return null;
    throw error;
  } finally {
    reading.leave();
    leaveFeed();
    unfollow();
    forget();
    sleep.close();
    leave();
  }
}

/** Where a wait begins. Those without a number begin at the same place, unless a time differs. */
function startOf(
  { after, since }: MatchQuery,
  newest: (since: Date | undefined, last: number) => ReturnType<Look['start']>,
): Pick<Look, 'start' | 'startKey'> {
  return after === undefined
    ? { startKey: `since ${since?.getTime()}`, start: (last) => newest(since, last) }
    : startAfter(after);
}

async function lastAttempt<Result>(attempt: (isLast: boolean) => Promise<Result | null>) {
  const result = await attempt(true);
  if (result === null) throw new AppError('internal', 'the last attempt has a result');
  return result;
}
