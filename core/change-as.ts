/**
 * Work in the name of a token's bearer ends with the token. Every request looks its token up anew, so a
 * revoked one is refused at once in every process; these two are for the request that was already under
 * way. A change reads the token again inside its own transaction, and so happens before the revocation
 * or not at all. A read asks once more right before it answers.
 */
import { type Body, type Db, step } from '../db/store.js';
import { liveToken, tokenLiveness } from '../db/tokens.js';
import type { Context } from './context.js';
import { AppError } from './errors.js';
import type { Caller } from './tokens.js';

/**
 * The only way to change the database on behalf of a caller: `store.transaction` with the caller's token
 * read first. The linter refuses a bare `store.transaction` in `core/` and `api/`, except in the files
 * that it lists as working without a caller.
 * @throws {AppError} `unauthorized` when the token was revoked meanwhile; nothing is changed then.
 */
export function changeAs<Result>(
  context: Context,
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
 * To be called right before data is answered that took a while to read, or that is streamed.
 * @throws {AppError} `unauthorized` when the token was revoked meanwhile.
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
