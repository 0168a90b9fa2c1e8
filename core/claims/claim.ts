/** Claims messages for one of several clients that share a mailbox. */
import type { ClaimRow } from '../../db/statements/claims.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Position } from '../../db/statements/messages.ts';
import type { Caller } from '../auth/caller.ts';
import { noteChange } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import {
  type Mark,
  MARK_POSITIONS,
  comparePositions,
  isAfterMark,
  markOf,
} from '../messages/mark.ts';
import type { Criterion } from '../matching/criteria.ts';
import { failAtExpiry, requirePermission, openSleep } from '../waits/sleep.ts';
import type { WaitParts } from '../waits/wait.ts';
import {
  type ClaimQueue,
  type Claimer,
  type Taken,
  claimsOfSeed,
  openClaimQueue,
} from './claim-queue.ts';

const RETRY_MS = 1000;
/**
 * How long a queue keeps its start of the free messages after its last request. Without it, 64
 * clients whose requests one pass answered made 363 claims a second in a mailbox of 100,000
 * messages instead of 862.
 */
const LINGER_MS = 100;

export interface ClaimRequest {
  criteria: Criterion[];
  mark?: Mark;
  since?: Date;
  /** Number of messages to claim at most. */
  limit: number;
  /** Seconds. */
  timeout: number;
  owner: string | null;
  /** Null for a claim without a lease. */
  leaseMs: number | null;
  /** A lower-case ULID; two requests with one seed make the same claims. */
  seed: string;
  isKeyed: boolean;
}

export interface ClaimResult {
  outcome: 'matched' | 'timeout';
  claims: ClaimRow[];
  mark: string;
  waitedMs: number;
}

/** The claim queues of the mailboxes of this process. */
export interface ClaimQueues {
  /** Resolves to the result of `use`, which gets the queue of the mailbox. */
  with: <Result>(
    mailbox: MailboxRow,
    use: (queue: ClaimQueue) => Promise<Result>,
  ) => Promise<Result>;
}

interface Entry {
  queue: ClaimQueue;
  /** Number of requests. */
  users: number;
}

export function openClaimQueues(
  context: Pick<Context, 'store' | 'now'>,
  { arrivals, contents }: Pick<WaitParts, 'arrivals' | 'contents'>,
): ClaimQueues {
  const queues = new Map<string, Entry>();

  /** Keeps a queue without requests for a while, and tells it what it has to know meanwhile. */
  const linger = (mailbox: MailboxRow, entry: Entry) => {
    const end = () => {
      clearTimeout(timer);
      unfollow();
      if (entry.users === 0 && queues.get(mailbox.id) === entry) queues.delete(mailbox.id);
    };
    const timer = setTimeout(end, LINGER_MS);
    timer.unref();
    const { offer } = entry.queue;
    const unfollow = arrivals.follow({ mailbox, received: offer, missed: end, end });
  };

  return {
    async with(mailbox, use) {
      const entry = queues.get(mailbox.id) ?? {
        queue: openClaimQueue(context, contents, mailbox),
        users: 0,
      };
      queues.set(mailbox.id, entry);
      entry.users += 1;
      try {
        return await use(entry.queue);
      } finally {
        entry.users -= 1;
        if (entry.users === 0) linger(mailbox, entry);
      }
    },
  };
}

/**
 * Resolves when at least one message is claimed, or after the time-out; null if `gone` is aborted.
 * @throws {AppError} `wait_limit`, `not_found` and `unauthorized` as soon as the mailbox or the
 *   token goes, `unavailable` if the database is away or the process stops.
 */
export async function claimMessages(
  context: Pick<Context, 'store' | 'now'>,
  { arrivals, openWaits }: Pick<WaitParts, 'arrivals' | 'openWaits'>,
  queues: ClaimQueues,
  { caller, mailbox, gone }: { caller: Caller; mailbox: MailboxRow; gone: AbortSignal },
  request: ClaimRequest,
): Promise<ClaimResult | null> {
  const began = performance.now();
  const leave = openWaits.enter(caller.workspace.id);
  try {
    return await queues.with(mailbox, async (queue) => {
      const result = await claimFrom(context, queue, arrivals, { caller, mailbox, gone }, request);
      return result && { ...result, waitedMs: Math.round(performance.now() - began) };
    });
  } finally {
    leave();
  }
}

async function claimFrom(
  context: Pick<Context, 'store' | 'now'>,
  queue: ClaimQueue,
  arrivals: WaitParts['arrivals'],
  { caller, mailbox, gone }: { caller: Caller; mailbox: MailboxRow; gone: AbortSignal },
  request: ClaimRequest,
): Promise<Omit<ClaimResult, 'waitedMs'> | null> {
  const deadline = performance.now() + request.timeout * 1000;
  const sleep = openSleep(gone);
  let taken: Taken | null = null;
  let isOver = false;
  const claimer: Claimer = {
    ...request,
    caller,
    isGone: () => gone.aborted || isOver,
    taken: (result) => {
      taken = result;
      noteChange(caller);
      sleep.wake();
    },
    failed: (error) => {
      sleep.fail(error as Error);
    },
  };
  const result = () => taken && resultOf(mailbox, request, taken);
  const unfollow = arrivals.follow({
    mailbox,
    tokenId: caller.token.id,
    received: queue.offer,
    released: queue.offer,
    missed: () => {
      queue.pass(true).catch(() => undefined); // looks again before the time-out
    },
    end: sleep.fail,
  });
  const forget = failAtExpiry(context, { caller, mailbox }, sleep.fail);
  try {
    if (request.isKeyed) {
      const earlier = await context.store.ask(claimsOfSeed, mailbox.id, request.seed);
      if (earlier.length > 0) {
        const seen = await queue.pass();
        return { outcome: 'matched', claims: earlier, mark: markOf(mailbox.id, seen) };
      }
    }
    queue.enter(claimer);
    let seen = await queue.pass();
    // An event that tells of a message can be lost, so a request that finds none looks at all.
    if (!result() && performance.now() < deadline) seen = await queue.pass(true);
    while (!result() && performance.now() < deadline) await sleep.until(deadline);
    while (!result()) {
      sleep.check();
      try {
        seen = await queue.pass(true);
        break;
      } catch (error) {
        if (performance.now() > deadline + RETRY_MS) throw error;
        await sleep.until(performance.now() + RETRY_MS / 4);
      }
    }
    await queue.leave(claimer);
    sleep.check();
    if (!result()) await requirePermission(context, { caller, mailbox });
    return (
      result() ?? {
        outcome: 'timeout',
        claims: [],
        mark: markOf(mailbox.id, seen, floorOf(request)),
      }
    );
  } catch (error) {
    isOver = true;
    await queue.leave(claimer);
    // What was committed meanwhile is the answer, unless no one can receive it.
    const committed = result();
    if (committed && !gone.aborted) return committed;
    if (gone.aborted) return null;
    throw error;
  } finally {
    unfollow();
    forget();
    sleep.close();
  }
}

/** The mark ends at the last message claimed, so that the next request by it skips none. */
function resultOf(
  mailbox: MailboxRow,
  request: ClaimRequest,
  { claims, messages, seen }: Taken,
): Omit<ClaimResult, 'waitedMs'> {
  const { mark } = request;
  const last = messages.at(-1);
  const covered = last
    ? seen.filter(
        (one) =>
          comparePositions(one, last) <= 0 || (mark !== undefined && !isAfterMark(mark, one)),
      )
    : seen;
  const isFar = last !== undefined && !covered.some(({ id }) => id === last.id);
  const newest = isFar ? [last] : covered.slice(0, MARK_POSITIONS);
  const floor = isFar ? last : floorOf(request);
  return { outcome: 'matched', claims, mark: markOf(mailbox.id, newest, floor) };
}

function floorOf({ mark }: ClaimRequest): Position | undefined {
  return mark?.start;
}
