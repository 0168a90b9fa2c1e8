/**
 * A request that is in progress when its token is revoked. Every request looks its token up, so a revoked token is
 * rejected at once in every process; these two functions cover the requests that had begun before. A change reads the
 * token again inside its own transaction, so it commits before the revocation or not at all. A read checks the token
 * again right before it responds.
 */
import { type Body, type Db, step } from '../../db/store.js';
import { liveToken, tokenLiveness } from '../../db/statements/tokens.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import type { Caller } from './caller.js';

/**
 * The only way to change the database on behalf of a caller: `store.transaction` that reads the caller's token first.
 * ESLint rejects a bare `store.transaction` in `core/` and `api/`, except in the files that it lists as working
 * without a caller.
 * @throws {AppError} `unauthorized` when the token has been revoked; nothing is changed then.
 */
export function transactionAs<Result>(
  context: Pick<Context, 'store'>,
  caller: Caller,
  body: (tx: Db) => Body<Result>,
): Promise<Result> {
  return context.store.transaction(function* (tx) {
    const live = yield* step(liveToken(tx, caller.token.id));
    if (live.length === 0) throw revoked();
    return yield* body(tx);
  });
}

/**
 * To be called right before the response with data that took a while to read, or that is streamed.
 * @throws {AppError} `unauthorized` when the token has been revoked.
 */
export async function requireLiveToken(
  context: Pick<Context, 'store'>,
  caller: Caller,
): Promise<void> {
  const live = await context.store.read(tokenLiveness, { id: caller.token.id });
  if (live.length === 0) throw revoked();
}

function revoked(): AppError {
  return new AppError('unauthorized', 'The token was revoked.');
}
