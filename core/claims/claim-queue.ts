/**
 * The requests of this process that claim messages of one mailbox, in the order of their arrival. A
 * pass reads free messages in the order of their numbers, assigns each to the first request that it
 * matches, and claims all of them in one transaction. Requests that lose a message to another
 * process take part in the next pass. While the same requests wait, a pass reads only messages
 * above the number up to which the last one has read, and those whose claim has ended.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstUnclaimed, freeMessages, releasedMessages } from '../../db/statements/claims.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { NumberedMessage } from '../../db/statements/messages.ts';
import { tokenRevoked } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { mailboxNotFound } from '../mailboxes/mailboxes.ts';
import { lastNumberIn } from '../messages/mark.ts';
import { shareRuns } from '../share-runs.ts';
import type { Contents, TestResult } from '../matching/contents.ts';
import { type Assigned, type Claimer, claimAssigned } from './claim-transaction.ts';

const PAGE = 200;
const RETRY_MS = 1000;
/** Before the numbers of all messages. */
export const BEFORE_FIRST_NUMBER = -1;
/** Sorts after every id. */
const LAST_ID = '~';

/**
 * Where the messages of a mailbox begin that can be free: those up to this number are claimed for
 * good, or their lease has ended. No pass reads them again (docs/decisions.md, 10).
 */
export interface FreeCursor {
  number: number;
}

export interface ClaimQueue {
  enter: (claimer: Claimer) => void;
  /** Resolves when no transaction contains the request any more. */
  leave: (claimer: Claimer) => Promise<void>;
  /** Notes that a message was stored, or that a claim was released or has ended. */
  notify: (change: 'stored' | 'released') => void;
  /**
   * Assigns the free messages to the requests, in a pass that begins after the call. Resolves to
   * the number up to which it considered all of them.
   * @throws {DatabaseUnavailable}
   */
  pass: () => Promise<number>;
}

/** What the next pass reads: all free messages, or those that are new, with or without released. */
type Due = 'all' | 'released' | 'new';

/** @param start is moved */
export function openClaimQueue(
  context: Pick<Context, 'store' | 'now' | 'events'>,
  contents: Contents,
  mailbox: MailboxRow,
  start: FreeCursor,
): ClaimQueue {
  const queue = new Set<Claimer>();
  /** All free messages up to this number were considered for all requests, unless a pass is due. */
  let readUpTo = BEFORE_FIRST_NUMBER;
  let due: Due = 'all';
  let running: Promise<unknown> = Promise.resolve();

  /**
   * Passes run one after another, so that one request is in one transaction at a time. A pass
   * begins in a later turn of the event loop: requests that arrived together take part in it
   * together.
   */
  const passDue = shareRuns(() => {
    const passing = onePass();
    running = passing.catch(() => {
      due = 'all';
      setTimeout(notify, RETRY_MS).unref();
    });
    return passing;
  }, nextTurn);

  /** Requests pass again at their timeout, so a failure is not theirs. */
  const notify = () => {
    if (queue.size > 0) passDue().catch(() => undefined);
  };

  const onePass = async (): Promise<number> => {
    const [reads, from] = [due, readUpTo];
    due = 'new';
    const last = await lastNumberIn(context, mailbox);
    for (;;) {
      const open = [...queue].filter(({ isGone }) => !isGone());
      if (open.length === 0) return last;
      const { assigned, upTo } = await assign(open, freePages(reads, from, last), last);
      const hasLost = assigned.size > 0 && (await claimAll(assigned));
      if (hasLost) continue;
      readUpTo = last;
      return upTo;
    }
  };

  /** @returns also the number up to which all free messages were considered */
  const assign = async (
    open: Claimer[],
    pages: AsyncIterable<NumberedMessage[]>,
    last: number,
  ): Promise<{ assigned: Assigned; upTo: number }> => {
    const assigned: Assigned = new Map();
    let upTo = 0;
    const criteria = open.flatMap((claimer) => claimer.criteria);
    const isFull = (one: Claimer) => assigned.get(one)?.length === one.limit;
    const isOver = () => open.every((one) => one.isGone() || one.isLate() || isFull(one));
    for await (const page of pages) {
      for await (const { row, tested } of contents.test(page, criteria, { isOver })) {
        upTo = row.number;
        const claimer = tested && open.find((one) => !isFull(one) && matches(one, row, tested));
        if (claimer) assigned.set(claimer, [...(assigned.get(claimer) ?? []), row]);
      }
      if (isOver()) return { assigned, upTo };
    }
    return { assigned, upTo: last };
  };

  /** @param from the number up to which the last pass has read */
  const freePages = async function* (reads: Due, from: number, last: number) {
    if (reads === 'new') return yield* pagesAfter(from);
    const place = { mailboxId: mailbox.id, now: new Date(context.now()) };
    let after = from;
    if (reads === 'all') {
      const [first] = await context.store.execute(firstUnclaimed, {
        ...place,
        number: start.number,
      });
      start.number = first ? first.number - 1 : last;
      after = start.number;
    }
    const released = await context.store.execute(releasedMessages, { ...place, limit: PAGE });
    if (released.length === PAGE) return yield* pagesAfter(BEFORE_FIRST_NUMBER);
    yield released
      .filter(({ number }) => number <= after)
      .sort((a, b) => a.number - b.number || (a.id < b.id ? -1 : 1));
    yield* pagesAfter(after);
  };

  const pagesAfter = async function* (number: number) {
    let after = { number, id: LAST_ID };
    for (;;) {
      const place = { number: after.number, id: after.id, limit: PAGE };
      const now = new Date(context.now());
      const rows = await context.store.execute(freeMessages, {
        mailboxId: mailbox.id,
        now,
        ...place,
      });
      yield rows;
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = last;
      await nextTurn(); // SQLite reads without yielding
    }
  };

  /** Resolves to whether a request got none of the messages that were assigned to it. */
  const claimAll = async (assigned: Assigned): Promise<boolean> => {
    // oxlint-disable-next-line mayfly/transaction-of-caller -- checks the token of each caller
    const results = await context.store.transaction((tx) =>
      claimAssigned(tx, mailbox, assigned, context),
    );
    let hasLost = false;
    const claimed: string[] = [];
    for (const [claimer, messages] of assigned) {
      const result = results.get(claimer);
      if (result === 'revoked' || result === 'unreachable') {
        queue.delete(claimer);
        claimer.failed(result === 'revoked' ? tokenRevoked() : mailboxNotFound(mailbox.name));
        hasLost = true; // its messages are for the others
      } else if (result && result.length > 0) {
        queue.delete(claimer);
        const numbers = new Map(messages.map(({ id, number }) => [id, number]));
        let last = 0;
        for (const { messageId } of result) {
          claimed.push(messageId);
          last = Math.max(last, numbers.get(messageId) ?? 0);
        }
        claimer.claimed({ claims: result, last });
      } else hasLost = true;
    }
    if (claimed.length > 0) void context.events.hub.publishClaims('claimed', mailbox.id, claimed);
    return hasLost;
  };

  return {
    pass() {
      due = 'all';
      return passDue();
    },
    enter: (claimer) => queue.add(claimer),
    async leave(claimer) {
      queue.delete(claimer);
      await running;
    },
    notify(change) {
      if (change === 'released' && due === 'new') due = 'released';
      notify();
    },
  };
}

function matches(claimer: Claimer, row: NumberedMessage, { failed }: TestResult): boolean {
  const { criteria, after, since } = claimer;
  if (since && row.receivedAt <= since) return false;
  if (after !== undefined && row.number <= after) return false;
  return criteria.every((each) => !failed.includes(each));
}
