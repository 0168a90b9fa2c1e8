/**
 * The requests of this process that claim messages of one mailbox, in the order of their arrival. A
 * pass reads free messages, oldest first, gives each to the first request that it matches, and
 * claims all of them in one transaction. Requests that lose a message to another process take part
 * in the next pass.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ClaimRow,
  claimsBetween,
  endClaim,
  freeAmong,
  freeMessages,
  messagesOfEndedLeases,
  takeForGood,
  takeLease,
} from '../../db/statements/claims.ts';
import { type MailboxRow, mailboxInScope } from '../../db/statements/mailboxes.ts';
import { type PagedMessage, type Position, messagePage } from '../../db/statements/messages.ts';
import { liveToken } from '../../db/statements/tokens.ts';
import { type Body, type Db, run, step } from '../../db/store.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { tokenRevoked } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { claimIds, newId } from '../ids.ts';
import { noMailbox } from '../mailboxes/mailboxes.ts';
import { type Mark, NEWEST, comparePositions, isAfterMark } from '../messages/mark.ts';
import type { Contents } from '../matching/contents.ts';
import { type Content, type Criterion, failedCriteria } from '../matching/criteria.ts';
import { OLDEST, openStart } from './start.ts';

const PAGE = 200;
const RETRY_MS = 1000;
/** The newest messages that the mark of a response can list. */
const SEEN = 1000;

/** What a pass gave to a request. */
export interface Taken {
  claims: ClaimRow[];
  /** The positions of the claimed messages, oldest first. */
  messages: Position[];
  /** The newest positions that were visible before the pass, newest first. */
  seen: Position[];
}

export interface Claimer {
  readonly criteria: Criterion[];
  readonly mark?: Mark;
  readonly since?: Date;
  readonly limit: number;
  readonly owner: string | null;
  /** Null for a claim without a lease. */
  readonly leaseMs: number | null;
  /** The ids of its claims are derived from it. */
  readonly seed: string;
  /** Whether an earlier request can have the same seed. */
  readonly isKeyed: boolean;
  readonly caller: Caller;
  /** Whether its client has gone. */
  readonly isGone: () => boolean;
  readonly taken: (result: Taken) => void;
  readonly failed: (error: unknown) => void;
}

export interface ClaimQueue {
  enter: (claimer: Claimer) => void;
  /** Resolves when no transaction contains the request any more. */
  leave: (claimer: Claimer) => Promise<void>;
  /** A message can be free. */
  offer: (messageId: string) => void;
  /**
   * Resolves to the positions seen by a pass over the free messages that begins after the call.
   * @param isWhole considers all messages before the start too, whether or not they were offered
   * @throws {DatabaseUnavailable}
   */
  pass: (isWhole?: boolean) => Promise<Position[]>;
}

type Given = Map<Claimer, PagedMessage[]>;

/** The token is no longer valid, or the mailbox no longer exists for it. */
type Refusal = 'revoked' | 'unreachable';

export function openClaimQueue(
  context: Pick<Context, 'store' | 'now'>,
  contents: Contents,
  mailbox: MailboxRow,
): ClaimQueue {
  const queue = new Set<Claimer>();
  const start = openStart(context, mailbox.id);
  /** Messages that can be free, whatever their position. */
  const offered = new Set<string>();
  let running: Promise<Position[]> = Promise.resolve([]);
  let next: Promise<Position[]> | null = null;
  let isOfferDue = false;
  let isNextWhole = false;

  /** @param among messages that can be free, whatever their position */
  const onePass = async (
    among: string[],
    pagesOf: (among: string[], seen: Position[]) => AsyncIterable<PagedMessage[]>,
  ): Promise<Position[]> => {
    const seen = await seenNow();
    for (;;) {
      const open = [...queue].filter(({ isGone }) => !isGone());
      if (open.length === 0) return seen;
      const given = await distribute(open, pagesOf(among, seen));
      if (given.size === 0) return seen;
      const hasLost = await take(given, seen);
      if (!hasLost) return seen;
    }
  };

  const seenNow = () =>
    context.store.read(messagePage, {
      mailboxId: mailbox.id,
      now: new Date(context.now()),
      since: new Date(-1),
      receivedAt: NEWEST.receivedAt,
      id: NEWEST.id,
      limit: SEEN,
    });

  const distribute = async (
    open: Claimer[],
    pages: AsyncIterable<PagedMessage[]>,
  ): Promise<Given> => {
    const given: Given = new Map();
    const criteria = open.flatMap((claimer) => claimer.criteria);
    for await (const page of pages) {
      const content =
        criteria.length > 0
          ? await contents.of(mailbox, page, criteria)
          : new Map<string, Content>();
      for (const row of page) {
        const claimer = open.find(
          (one) =>
            (given.get(one)?.length ?? 0) < one.limit && matches(one, row, content.get(row.id)),
        );
        if (claimer) given.set(claimer, [...(given.get(claimer) ?? []), row]);
      }
      if (open.every((one) => given.get(one)?.length === one.limit)) break;
    }
    return given;
  };

  const offeredPage = async function* (ids: string[]) {
    if (ids.length === 0) return;
    yield await context.store.ask(freeAmong, mailbox.id, ids, new Date(context.now()));
  };

  /** Those before the start that can be free, and all after it. */
  const pagesFromStart = async function* (among: string[], [newest]: Position[]) {
    const from = await start.find(newest);
    const ended = await context.store.read(messagesOfEndedLeases, {
      mailboxId: mailbox.id,
      limit: PAGE,
    });
    const ids = [...among, ...ended.map(({ messageId }) => messageId)];
    if (ended.length === PAGE || ids.length > SEEN) return yield* freePages(OLDEST);
    for await (const rows of offeredPage(ids)) {
      yield rows.filter((row) => comparePositions(row, from) < 0);
    }
    yield* freePages(from);
  };

  const freePages = async function* (from: Position) {
    let after = from;
    for (;;) {
      const place = { receivedAt: after.receivedAt, id: after.id, limit: PAGE };
      const now = new Date(context.now());
      const rows = await context.store.read(freeMessages, {
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

  /** Resolves to whether a request got none of the messages given to it. */
  const take = async (given: Given, seen: Position[]): Promise<boolean> => {
    // oxlint-disable-next-line mayfly/transaction-of-caller -- checks the token of each caller
    const results = await context.store.transaction((tx) => takeAll(tx, mailbox, given, context));
    let hasLost = false;
    for (const [claimer, messages] of given) {
      const result = results.get(claimer);
      if (result === 'revoked' || result === 'unreachable') {
        queue.delete(claimer);
        claimer.failed(result === 'revoked' ? tokenRevoked() : noMailbox(mailbox.name));
      } else if (result && result.length > 0) {
        queue.delete(claimer);
        const positions = new Map(messages.map((row) => [row.id, row]));
        claimer.taken({
          claims: result,
          messages: result.flatMap(({ messageId }) => positions.get(messageId) ?? []),
          seen,
        });
      } else if (!claimer.isGone()) hasLost = true;
    }
    return hasLost;
  };

  /**
   * Passes run one after another, so that one request is in one transaction at a time. A pass
   * begins in a later turn of the event loop: requests that arrived together take part in it
   * together.
   */
  const enqueue = (pagesOf: () => Parameters<typeof onePass>[1]): Promise<Position[]> => {
    const begin = async () => {
      await nextTurn();
      const among = [...offered];
      offered.clear();
      return onePass(among, pagesOf());
    };
    running = running.then(begin, begin);
    running.catch(() => undefined);
    return running;
  };

  const pass = (isWhole = false) => {
    isNextWhole ||= isWhole;
    next ??= enqueue(() => {
      const pagesOf = isNextWhole ? () => freePages(OLDEST) : pagesFromStart;
      next = null;
      isNextWhole = false;
      return pagesOf;
    });
    return next;
  };

  return {
    pass,
    enter: (claimer) => queue.add(claimer),
    async leave(claimer) {
      queue.delete(claimer);
      await running.catch(() => undefined);
    },
    offer(messageId) {
      offered.add(messageId);
      if (isOfferDue || queue.size === 0) return;
      isOfferDue = true;
      void enqueue(() => {
        isOfferDue = false;
        return offeredPage;
      }).catch(() => {
        setTimeout(() => {
          if (queue.size > 0) pass(true).catch(() => undefined); // requests look again at their time-out
        }, RETRY_MS).unref();
      });
    },
  };
}

function matches(claimer: Claimer, row: PagedMessage, content: Content | undefined): boolean {
  const { criteria, mark, since } = claimer;
  if (since && row.receivedAt <= since) return false;
  if (mark && !isAfterMark(mark, row)) return false;
  if (criteria.length === 0) return true;
  return content !== undefined && failedCriteria(criteria, content).length === 0;
}

/** The claims of each request; none for one whose client has gone. */
function* takeAll(
  tx: Db,
  mailbox: MailboxRow,
  given: Given,
  context: Pick<Context, 'now'>,
): Body<Map<Claimer, ClaimRow[] | Refusal>> {
  const results = new Map<Claimer, ClaimRow[] | Refusal>();
  const refusals = new Map<string, Refusal | null>();
  for (const [claimer, messages] of given) {
    if (claimer.isGone()) continue;
    const { id } = claimer.caller.token;
    const known = refusals.get(id);
    const refusal =
      known === undefined ? yield* refusalOf(tx, mailbox, claimer.caller, context) : known;
    refusals.set(id, refusal);
    const now = new Date(context.now());
    results.set(claimer, refusal ?? (yield* takeFor(tx, mailbox.id, claimer, messages, now)));
  }
  // Right before the commit: a client that has gone cannot learn of its claims.
  for (const [claimer, claims] of results) {
    if (!claimer.isGone() || typeof claims === 'string' || claims.length === 0) continue;
    for (const { id } of claims) {
      yield* step(endClaim(tx, id, newId('claim', context.now())));
    }
    results.set(claimer, []);
  }
  return results;
}

/** Why a request cannot claim any more; null if it can. */
function* refusalOf(
  tx: Db,
  { id, name }: MailboxRow,
  caller: Caller,
  context: Pick<Context, 'now'>,
): Body<Refusal | null> {
  const reach = reachOf(context, caller);
  const live = yield* step(liveToken(tx, caller.token.id, reach.now));
  if (live.length === 0) return 'revoked';
  const [mailbox] = yield* step(mailboxInScope(tx, reach, name));
  return mailbox?.id === id ? null : 'unreachable';
}

function* takeFor(
  tx: Db,
  mailboxId: string,
  { seed, isKeyed, owner, leaseMs }: Claimer,
  messages: PagedMessage[],
  now: Date,
): Body<ClaimRow[]> {
  const ids = claimIds(seed, messages.length);
  if (isKeyed) {
    const earlier = yield* step(claimsOfSeed(tx, mailboxId, seed));
    if (earlier.length > 0) return earlier;
  }
  const claims: ClaimRow[] = [];
  for (const [n, { id: messageId }] of messages.entries()) {
    const claim = { messageId, mailboxId, now, id: ids[n] ?? '', owner };
    const rows =
      leaseMs === null
        ? yield* run(takeForGood, claim)
        : yield* run(takeLease, { ...claim, leaseMs });
    for (const row of rows) claims.push(row);
  }
  return claims;
}

/** The claims that a request with this seed has made. */
export function claimsOfSeed(db: Db, mailboxId: string, seed: string) {
  const ids = claimIds(seed, 1024);
  return claimsBetween(db, mailboxId, ids[0] ?? '', ids.at(-1) ?? '');
}
