/** Claims messages for one of several clients that share a mailbox. */
import type { ClaimRow } from '../../db/statements/claims.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { idListReader } from '../../db/statements/id-lists.ts';
import { numbersOf } from '../../db/statements/messages.ts';
import type { Caller } from '../auth/caller.ts';
import { markTokenChecked } from '../auth/transaction-as.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { Context } from '../context.ts';
import type { LiveEvent } from '../events/event.ts';
import type { ClaimChange } from '../events/hub.ts';
import { lastNumberIn, markOf } from '../messages/mark.ts';
import type { Criterion } from '../matching/criteria.ts';
import { failAtExpiry, requirePermission, openSleep } from '../waits/sleep.ts';
import type { WaitServices } from '../waits/wait.ts';
import {
  BEFORE_FIRST_NUMBER,
  type ClaimQueue,
  type FreeCursor,
  type QueuedClaimer,
  openClaimQueue,
} from './claim-queue.ts';
import { type ClaimedMessages, type Claimer, claimsOfSeed } from './claim-transaction.ts';

const RETRY_MS = 1000;
/** Number of mailboxes whose start is remembered, so that claimed messages are not read again. */
const MAX_STARTS = 10_000;

export interface ClaimRequest {
  criteria: Criterion[];
  /** Only messages with a greater number. */
  after?: number;
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
  context: Pick<Context, 'store' | 'now' | 'events' | 'log'>,
  services: Pick<WaitServices, 'documents' | 'slices'>,
): ClaimQueues {
  const queues = new Map<string, Entry>();
  const starts = boundedCache<FreeCursor>(MAX_STARTS);

  const open = (mailbox: MailboxRow): Entry => {
    const start = starts.get(mailbox.id) ?? { number: BEFORE_FIRST_NUMBER };
    starts.set(mailbox.id, start);
    return { queue: openClaimQueue(context, services, mailbox, start), users: 0 };
  };

  return {
    async with(mailbox, use) {
      const entry = queues.get(mailbox.id) ?? open(mailbox);
      queues.set(mailbox.id, entry);
      entry.users += 1;
      try {
        return await use(entry.queue);
      } finally {
        entry.users -= 1;
        if (entry.users === 0) queues.delete(mailbox.id);
      }
    },
  };
}

/**
 * Resolves when at least one message is claimed, or after the timeout; null if `gone` is aborted.
 * @throws {AppError} `wait_limit`, `not_found` and `unauthorized` as soon as the mailbox or the
 *   token goes, `unavailable` if the database is away or the process stops.
 */
export async function claimMessages(
  context: Pick<Context, 'store' | 'now'>,
  { arrivals, openWaits }: Pick<WaitServices, 'arrivals' | 'openWaits'>,
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

const readNumbers = idListReader(numbersOf);

async function claimFrom(
  context: Pick<Context, 'store' | 'now'>,
  queue: ClaimQueue,
  arrivals: WaitServices['arrivals'],
  { caller, mailbox, gone }: { caller: Caller; mailbox: MailboxRow; gone: AbortSignal },
  request: ClaimRequest,
): Promise<Omit<ClaimResult, 'waitedMs'> | null> {
  const deadline = performance.now() + request.timeout * 1000;
  const after = await lastNumberIn(context, mailbox);
  const sleep = openSleep(gone);
  let claimed: ClaimedMessages | null = null;
  let isOver = false;
  let queued: QueuedClaimer | null = null;
  const claimer: Claimer = {
    ...request,
    caller,
    isGone: () => gone.aborted || isOver,
    isLate: () => performance.now() > deadline + RETRY_MS,
    claimed: (result) => {
      claimed = result;
      markTokenChecked(caller);
      sleep.wake();
    },
    failed: (error) => {
      sleep.fail(error as Error);
    },
  };
  const answer = (claims: ClaimRow[], number: number) => {
    const outcome = claims.length > 0 ? ('matched' as const) : ('timeout' as const);
    return { outcome, claims, mark: markOf(mailbox, number) };
  };
  // The mark ends at the last message claimed, so that the next request by it skips none.
  const result = () => claimed && answer(claimed.claims, claimed.last);
  const follower = {
    place: mailbox,
    tokenId: caller.token.id,
    received: (_messageId: string, event?: LiveEvent) => {
      queue.stored(event?.number);
    },
    claim: (change: ClaimChange, messageId: string) => {
      if (change === 'released') queue.released(messageId);
    },
    missed: queue.missed,
    end: sleep.fail,
  };
  const unfollow = arrivals.subscribe(follower, after);
  const forget = failAtExpiry(context, { caller, mailbox }, sleep.fail);
  try {
    if (request.isKeyed) {
      const earlier = await context.store.query(claimsOfSeed, mailbox.id, request.seed);
      if (earlier.length > 0) {
        const ids = earlier.map(({ messageId }) => messageId);
        const numbered = await readNumbers(context.store, ids);
        const after = request.after ?? 0;
        return answer(
          earlier,
          numbered.reduce((last, { number }) => Math.max(last, number), after),
        );
      }
    }
    queued = queue.enter(claimer);
    let last = await queued.catchUp();
    while (!result() && performance.now() < deadline) await sleep.until(deadline);
    while (!result() && request.timeout > 0) {
      sleep.check();
      try {
        await queued.checkReleased();
        last = await queued.catchUp();
        break;
      } catch (error) {
        if (performance.now() > deadline + RETRY_MS) throw error;
        await sleep.until(performance.now() + RETRY_MS / 4);
      }
    }
    await queued.leave();
    sleep.check();
    if (!result()) await requirePermission(context, { caller, mailbox });
    return result() ?? answer([], Math.max(request.after ?? 0, last));
  } catch (error) {
    isOver = true;
    await queued?.leave();
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
