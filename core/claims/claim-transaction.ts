/** The transaction that claims messages for the requests that they are assigned to. */
import {
  type ClaimRow,
  claimForGood,
  claimForTime,
  claimsBetween,
  endClaim,
} from '../../db/statements/claims.ts';
import { type MailboxRow, mailboxInScope } from '../../db/statements/mailboxes.ts';
import type { NumberedMessage } from '../../db/statements/messages.ts';
import { liveToken } from '../../db/statements/tokens.ts';
import { type Transaction, type Db, execute, query } from '../../db/store.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { claimIds, newId } from '../ids.ts';
import type { Criterion } from '../matching/criteria.ts';

/** What a pass claimed for a request. */
export interface ClaimedMessages {
  claims: ClaimRow[];
  /** The greatest number of the claimed messages. */
  last: number;
}

export interface Claimer {
  readonly criteria: Criterion[];
  readonly after?: number;
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
  /** Whether its response is so late that no more messages are tested for it. */
  readonly isLate: () => boolean;
  readonly claimed: (result: ClaimedMessages) => void;
  readonly failed: (error: unknown) => void;
}

export type Assigned = Map<Claimer, NumberedMessage[]>;

/** The token is no longer valid, or the mailbox no longer exists for it. */
export type ClaimRefusal = 'revoked' | 'unreachable';

/** The claims of each request; none for one whose client has gone. */
export function* claimAssigned(
  tx: Db,
  mailbox: MailboxRow,
  assigned: Assigned,
  context: Pick<Context, 'now'>,
): Transaction<Map<Claimer, ClaimRow[] | ClaimRefusal>> {
  const results = new Map<Claimer, ClaimRow[] | ClaimRefusal>();
  const refusals = new Map<string, ClaimRefusal | null>();
  for (const [claimer, messages] of assigned) {
    if (claimer.isGone()) continue;
    const { id } = claimer.caller.token;
    const known = refusals.get(id);
    const refusal =
      known === undefined ? yield* refusalOf(tx, mailbox, claimer.caller, context) : known;
    refusals.set(id, refusal);
    const now = new Date(context.now());
    results.set(claimer, refusal ?? (yield* claimFor(tx, mailbox.id, claimer, messages, now)));
  }
  // Right before the commit: a client that has gone does not receive its claims.
  for (const [claimer, claims] of results) {
    if (!claimer.isGone() || typeof claims === 'string' || claims.length === 0) continue;
    for (const { id } of claims) {
      yield* query(endClaim(tx, id, newId('claim', context.now())));
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
): Transaction<ClaimRefusal | null> {
  const reach = reachOf(context, caller);
  const live = yield* query(liveToken(tx, caller.token.id, reach.now));
  if (live.length === 0) return 'revoked';
  const [mailbox] = yield* query(mailboxInScope(tx, reach, name));
  return mailbox?.id === id ? null : 'unreachable';
}

function* claimFor(
  tx: Db,
  mailboxId: string,
  { seed, isKeyed, owner, leaseMs }: Claimer,
  messages: NumberedMessage[],
  now: Date,
): Transaction<ClaimRow[]> {
  const ids = claimIds(seed, messages.length);
  if (isKeyed) {
    const earlier = yield* query(claimsOfSeed(tx, mailboxId, seed));
    if (earlier.length > 0) return earlier;
  }
  const claims: ClaimRow[] = [];
  for (const [n, { id: messageId }] of messages.entries()) {
    const claim = { messageId, mailboxId, now, id: ids[n] ?? '', owner };
    const rows =
      leaseMs === null
        ? yield* execute(claimForGood, claim)
        : yield* execute(claimForTime, { ...claim, leaseMs });
    for (const row of rows) claims.push(row);
  }
  return claims;
}

/** The claims that a request with this seed has made. */
export function claimsOfSeed(db: Db, mailboxId: string, seed: string) {
  const ids = claimIds(seed, 1024);
  return claimsBetween(db, mailboxId, ids[0] ?? '', ids.at(-1) ?? '');
}
