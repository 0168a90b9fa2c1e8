/** The claim of a message: read, extended, released. */
import { type ClaimRow, claimOf, endClaim, extendClaim } from '../../db/statements/claims.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { type Transaction, type Db, query } from '../../db/store.ts';
import type { Caller } from '../auth/caller.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { requireSummary } from '../messages/resolve-id.ts';

/** @throws {AppError} `not_found` if the message does not exist or has no live claim. */
export async function requireLiveClaim(
  context: Pick<Context, 'store' | 'now'>,
  mailbox: MailboxRow,
  id: string,
): Promise<ClaimRow> {
  const { message } = await requireSummary(context, mailbox, id);
  const [found] = await context.store.query(claimOf, message.id);
  return found?.isLive ? found.claim : notClaimed(message.id);
}

/**
 * Sets the end of a lease to `leaseMs` from now, or removes it. A lease that has ended is renewed
 * if the message has no other claim.
 * @throws {AppError} `not_found` if the message does not exist or has no claim, `claim_lost` if
 *   another claim is live, `unauthorized`.
 */
export async function extendHeldClaim(
  context: Pick<Context, 'store' | 'now' | 'events'>,
  caller: Caller,
  mailbox: MailboxRow,
  id: string,
  { claimId, leaseMs }: { claimId: string; leaseMs: number | null },
): Promise<ClaimRow> {
  const { message } = await requireSummary(context, mailbox, id);
  const { claim, isRenewed } = await transactionAs(context, caller, function* (tx) {
    const { isHeld, isLive } = yield* requireClaim(tx, message.id, claimId);
    if (!isHeld) notClaimed(message.id);
    const [extended] = yield* query(extendClaim(tx, claimId, leaseMs));
    return { claim: extended ?? notClaimed(message.id), isRenewed: !isLive };
  });
  if (isRenewed) await context.events.hub.publishClaims('claimed', mailbox, [message.id]);
  return claim;
}

/**
 * Makes the message free for others.
 * @throws {AppError} `not_found` if the message does not exist or has no live claim, `claim_lost`
 *   if another claim is live, `unauthorized`.
 */
export async function releaseHeldClaim(
  context: Pick<Context, 'store' | 'now' | 'events'>,
  caller: Caller,
  mailbox: MailboxRow,
  id: string,
  claimId: string,
): Promise<void> {
  const { message } = await requireSummary(context, mailbox, id);
  await transactionAs(context, caller, function* (tx) {
    const { isHeld, isLive } = yield* requireClaim(tx, message.id, claimId);
    if (!isHeld || !isLive) notClaimed(message.id);
    yield* query(endClaim(tx, claimId, newId('claim', context.now())));
  });
  await context.events.hub.publishClaims('released', mailbox, [message.id]);
}

/**
 * Whether the last claim of the message is this one. @throws {AppError} `not_found`, `claim_lost`.
 */
function* requireClaim(
  tx: Db,
  messageId: string,
  claimId: string,
): Transaction<{ isHeld: boolean; isLive: boolean }> {
  const [found] = yield* query(claimOf(tx, messageId));
  if (!found) return notClaimed(messageId);
  const isHeld = found.claim.id === claimId;
  if (!isHeld && found.isLive) {
    throw new AppError(
      'claim_lost',
      'The lease has ended, and another client has claimed the message. Claim another message.',
    );
  }
  return { isHeld, isLive: found.isLive };
}

function notClaimed(id: string): never {
  throw new AppError('not_found', `The message "${id}" is not claimed.`);
}
