/**
 * Handles requests in progress when their token is revoked. Every request looks its token up, so a
 * revoked token is rejected at once in every process; these functions cover requests that
 * started before. A change reads the token again inside its transaction, so it commits before the
 * revocation or not at all. Every other request checks the token again before it responds.
 */
import { type Transaction, type Db, query } from '../../db/store.ts';
import { liveToken, tokenLiveness } from '../../db/statements/tokens.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Caller } from './caller.ts';

/**
 * The only way to change the database on behalf of a caller: `store.transaction` that reads the
 * caller's token first. The lint rejects a bare `store.transaction` in `core/` and `api/`, except
 * in listed files that work without a caller.
 * @throws {AppError} `unauthorized` if the token has been revoked or has expired. Nothing is
 *   changed in that case.
 */
export async function transactionAs<Result>(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  body: (tx: Db) => Transaction<Result>,
): Promise<Result> {
  const result = await context.store.transaction(function* (tx) {
    const live = yield* query(liveToken(tx, caller.token.id, new Date(context.now())));
    if (live.length === 0) throw tokenRevoked();
    return yield* body(tx);
  });
  markTokenChecked(caller);
  return result;
}

/** Callers for whom a transaction that checked their token has committed. */
const changed = new WeakSet<Caller>();

/** Notes that a transaction has checked the caller's token and committed. */
export function markTokenChecked(caller: Caller): void {
  changed.add(caller);
}

/**
 * Checks the token right before a success response, unless a transaction has checked it: 401 would
 * deny the change that was made.
 * @throws {AppError} `unauthorized` if the token has been revoked or has expired.
 */
export async function requireLiveUnlessChanged(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
): Promise<void> {
  if (!changed.has(caller)) await requireLiveToken(context, caller);
}

/**
 * Checks the token right before a response whose data took time to read or is streamed.
 * @throws {AppError} `unauthorized` if the token has been revoked.
 */
export async function requireLiveToken(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
): Promise<void> {
  const now = new Date(context.now());
  const live = await context.store.execute(tokenLiveness, { id: caller.token.id, now });
  if (live.length === 0) throw tokenRevoked();
}

/** The refusal of a token that was valid and no longer is. */
export function tokenRevoked(): AppError {
  return new AppError('unauthorized', 'The token was revoked or has expired. Use another token.');
}
