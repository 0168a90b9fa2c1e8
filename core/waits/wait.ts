/**
 * Waits for messages. The request follows the mailbox first, reads the database after that, and
 * only then sleeps, so a message that is committed at any time is seen by the reading or wakes it.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Caller } from '../auth/caller.ts';
import { includes, scopeOf } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { AppError, asAppError, errorText } from '../errors.ts';
import type { LiveEvent } from '../events/event.ts';
import type { ClaimChange } from '../events/hub.ts';
import type { OpenRequests } from '../limits/open-requests.ts';
import type { Extractions } from '../messages/extractions.ts';
import { lastNumberIn, markOf, placeOf } from '../messages/mark.ts';
import type { Arrivals } from './arrivals.ts';
import type { Contents, TestResult } from '../matching/contents.ts';
import { type MatchQuery, type MatchResult, findMatches } from '../matching/find-matches.ts';
import {
  type FoundMessage,
  messagesOfCaller,
  messagesOfMailbox,
} from '../matching/message-source.ts';
import type { QueuedMail } from './settled.ts';
import { testArrivals } from './test-arrivals.ts';
import { failAtExpiry, requirePermission, openSleep } from './sleep.ts';

/** A timeout is held back for so long while accepted mail is on its way. */
const SETTLE_MS = 1000;
const SETTLE_POLL_MS = 50;
const RETRY_MS = 1000;
/** Messages are looked at for so long at a time. A response is late by as much at most. */
const LOOK_MS = 1000;

/** What the waiting requests of a process share. */
export interface WaitServices {
  arrivals: Arrivals;
  contents: Contents;
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
  { arrivals, contents, openWaits, queuedMail }: WaitServices,
  { caller, mailbox, gone }: Waiting,
  request: WaitRequest,
  show: (rows: FoundMessage[], found: MatchResult) => Promise<Shown[]>,
): Promise<WaitResult<Shown> | null> {
  const began = performance.now();
  const place = mailbox ?? placeOf(caller.workspace);
  const source = mailbox ? messagesOfMailbox(context, mailbox) : messagesOfCaller(context, caller);
  const after = await lastNumberIn(context, place);
  const leave = openWaits.enter(caller.workspace.id);
  const deadline = began + request.timeout * 1000;
  const sleep = openSleep(gone);
  const seesClaims = request.criteria.some(({ need }) => need === 'claim');

  const tests = testArrivals(contents, request.criteria, sleep.wake);
  const follower = {
    place,
    tokenId: caller.token.id,
    received: (messageId: string, event?: LiveEvent) => {
      if (mailbox || !event || isReached(caller, event)) tests.add(messageId);
    },
    ...(seesClaims && {
      claim: (_change: ClaimChange, messageId: string) => {
        tests.add(messageId);
      },
    }),
    missed: sleep.wake,
    end: sleep.fail,
  };
  const unfollow = arrivals.subscribe(follower, after);
  const forget = failAtExpiry(context, { caller, mailbox }, sleep.fail);

  const known = new Map<string, TestResult>();
  /** Resolves to null if fewer messages match than asked for. */
  const attempt = async (isLast: boolean) => {
    const end = performance.now() + LOOK_MS;
    const isOver = () => gone.aborted || performance.now() > end;
    const count = request.most ?? request.count;
    const found = await findMatches(context, contents, source, {
      ...request,
      count,
      isOver,
      known,
    });
    if (!found.isComplete) sleep.wake(); // the next one goes on
    if (found.matches.length < request.count && !isLast) return null;
    const messages = await show(found.matches, found);
    const isMatched = messages.length >= request.count;
    if (!isMatched && !isLast) return null;
    return { found, messages, isMatched };
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
    let done = await attempt(false);
    let pauseMs = Infinity;
    const hasSlept = !done;
    while (!done) {
      await sleep.until(Math.min(deadline, performance.now() + pauseMs));
      if (performance.now() >= deadline) break;
      const again = await attemptAgain();
      pauseMs = again === 'failed' ? RETRY_MS : Infinity;
      done = again === 'failed' ? null : again;
    }
    // The queue is read before the messages: what has left it is visible to the last reading.
    const settled = done
      ? (await queuedMail.unsettled(caller, mailbox))?.size === 0
      : await settle();
    const { found, messages, isMatched } = done ?? (await lastAttempt(attempt));
    sleep.check();
    if (hasSlept) await requirePermission(context, { caller, mailbox });
    return {
      outcome: isMatched ? 'matched' : 'timeout',
      messages,
      mark: markOf(place, found.next),
      settled: settled && found.isComplete && !found.isCut,
      waitedMs: Math.round(performance.now() - began),
      unmatched: found.unmatched,
    };
  } catch (error) {
    if (gone.aborted) return null;
    throw error;
  } finally {
    unfollow();
    tests.end();
    forget();
    sleep.close();
    leave();
  }
}

/** Whether a narrow token reached the mailbox of the event at its time. */
function isReached({ token: { mailboxes } }: Caller, { mailbox: name, labels }: LiveEvent) {
  return mailboxes === null || includes(scopeOf(mailboxes), { name, labels });
}

async function lastAttempt<Result>(attempt: (isLast: boolean) => Promise<Result | null>) {
  const result = await attempt(true);
  if (result === null) throw new AppError('internal', 'the last attempt has a result');
  return result;
}
