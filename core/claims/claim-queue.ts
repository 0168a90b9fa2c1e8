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
  freeAmong,
  freeMessages,
  removeClaims,
  takeForGood,
  takeLease,
} from '../../db/statements/claims.js';
import type { MailboxRow } from '../../db/statements/mailboxes.js';
import { type PagedMessage, type Position, messagePage } from '../../db/statements/messages.js';
import { liveToken } from '../../db/statements/tokens.js';
import { type Body, type Db, run, step } from '../../db/store.js';
import { tokenRevoked } from '../auth/transaction-as.js';
import type { Context } from '../context.js';
import { claimIds } from '../ids.js';
import { type Mark, NEWEST, isAfterMark } from '../messages/mark.js';
import type { Contents } from '../waits/contents.js';
import { type Content, type Criterion, failedCriteria } from '../waits/criteria.js';

const PAGE = 200;
const RETRY_MS = 1000;
/** The newest messages that the mark of a response can list. */
const SEEN = 1000;
/** Older than any message. */
const OLDEST: Position = { receivedAt: new Date(0), id: '' };

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
  readonly tokenId: string;
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
   * Resolves to the positions seen by a pass over all free messages that begins after the call.
   * @throws {DatabaseUnavailable}
   */
  pass: () => Promise<Position[]>;
}

type Given = Map<Claimer, PagedMessage[]>;

export function openClaimQueue(
  context: Pick<Context, 'store' | 'now'>,
  contents: Contents,
  mailbox: MailboxRow,
): ClaimQueue {
  const queue = new Set<Claimer>();
  const offered = new Set<string>();
  let running: Promise<Position[]> = Promise.resolve([]);
  let next: Promise<Position[]> | null = null;
  let isOfferDue = false;

  /** @param among only these messages; all free ones if null */
  const onePass = async (among: string[] | null): Promise<Position[]> => {
    const seen = await seenNow();
    for (;;) {
      const open = [...queue].filter(({ isGone }) => !isGone());
      if (open.length === 0) return seen;
      const given = await distribute(open, among);
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

  const distribute = async (open: Claimer[], among: string[] | null): Promise<Given> => {
    const given: Given = new Map();
    const criteria = open.flatMap((claimer) => claimer.criteria);
    for await (const page of among ? offeredPage(among) : freePages()) {
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
    yield await context.store.ask(freeAmong, mailbox.id, ids, new Date(context.now()));
  };

  const freePages = async function* () {
    let after = OLDEST;
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
    // eslint-disable-next-line no-restricted-syntax -- checks the token of each caller
    const results = await context.store.transaction((tx) =>
      takeAll(tx, mailbox.id, given, context),
    );
    let hasLost = false;
    for (const [claimer, messages] of given) {
      const result = results.get(claimer);
      if (result === 'revoked') {
        queue.delete(claimer);
        claimer.failed(tokenRevoked());
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
  const enqueue = (among: () => string[] | null): Promise<Position[]> => {
    const begin = async () => {
      await nextTurn();
      return onePass(among());
    };
    running = running.then(begin, begin);
    running.catch(() => undefined);
    return running;
  };

  const pass = () => {
    next ??= enqueue(() => {
      next = null;
      offered.clear();
      return null;
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
      if (queue.size === 0) return;
      offered.add(messageId);
      if (isOfferDue) return;
      isOfferDue = true;
      void enqueue(() => {
        isOfferDue = false;
        const ids = [...offered];
        offered.clear();
        return ids;
      }).catch(() => {
        setTimeout(() => {
          if (queue.size > 0) pass().catch(() => undefined); // requests look again at their time-out
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
  mailboxId: string,
  given: Given,
  { now }: Pick<Context, 'now'>,
): Body<Map<Claimer, ClaimRow[] | 'revoked'>> {
  const results = new Map<Claimer, ClaimRow[] | 'revoked'>();
  const tokens = new Map<string, boolean>();
  for (const [claimer, messages] of given) {
    if (claimer.isGone()) continue;
    const isValid =
      tokens.get(claimer.tokenId) ??
      (yield* step(liveToken(tx, claimer.tokenId, new Date(now())))).length > 0;
    tokens.set(claimer.tokenId, isValid);
    results.set(
      claimer,
      isValid ? yield* takeFor(tx, mailboxId, claimer, messages, new Date(now())) : 'revoked',
    );
  }
  // Right before the commit: a client that has gone cannot learn of its claims.
  for (const [claimer, claims] of results) {
    if (!claimer.isGone() || claims === 'revoked' || claims.length === 0) continue;
    yield* step(
      removeClaims(
        tx,
        claims.map(({ id }) => id),
      ),
    );
    results.set(claimer, []);
  }
  return results;
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
    claims.push(...rows);
  }
  return claims;
}

/** The claims that a request with this seed has made. */
export function claimsOfSeed(db: Db, mailboxId: string, seed: string) {
  const ids = claimIds(seed, 1024);
  return claimsBetween(db, mailboxId, ids[0] ?? '', ids.at(-1) ?? '');
}
