import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DatabaseUnavailable, UnstorableError, messageOf } from '../errors.ts';

const RETRY_LIMIT_MS = 5000;

/**
 * Result codes of a database that is unavailable, as opposed to a faulty statement
 * (sqlite.org/rescode.html).
 */
const CANNOT_SERVE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL)/;
const UNSTORABLE = /^SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH)/;
const BUSY = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/;
const DAMAGED = /^SQLITE_(?:CORRUPT|NOTADB)/;

/**
 * Runs work, and repeats it with jitter while another process holds the lock, for up to
 * 5 s.
 * @throws {DatabaseUnavailable} if the database stays locked or is unusable;
 *   {@link UnstorableError}.
 */
export async function retryWhileBusy<Result>(
  work: () => Result | Promise<Result>,
  giveUpAt = performance.now() + RETRY_LIMIT_MS,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const code = error instanceof Database.SqliteError ? error.code : '';
      if (UNSTORABLE.test(code)) throw new UnstorableError(messageOf(error), { cause: error });
      if (!CANNOT_SERVE.test(code)) throw error;
      if (!BUSY.test(code)) {
        throw new DatabaseUnavailable(
          DAMAGED.test(code)
            ? 'The database file is damaged. Restore it from a backup.'
            : 'The database is temporarily unavailable. Retry in a few seconds.',
          { cause: error },
        );
      }
      if (performance.now() > giveUpAt) throw busy(error);
      await delay(5 + Math.random() * 20);
    }
  }
}

/**
 * Same as {@link retryWhileBusy} for work that needs the write lock. SQLite blocks the event loop
 * while it waits for the lock, so only one call per process waits for it. Other calls wait for that
 * call, within the same time limit.
 */
export function openWriteLock(): <Result>(work: () => Result | Promise<Result>) => Promise<Result> {
  let holder: Promise<unknown> | null = null;
  return async (work) => {
    const giveUpAt = performance.now() + RETRY_LIMIT_MS;
    while (holder) {
      await holder;
      if (performance.now() > giveUpAt) throw busy();
    }
    const done = retryWhileBusy(work, giveUpAt);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    holder = settled;
    try {
      return await done;
    } finally {
      if (holder === settled) holder = null;
    }
  };
}

function busy(cause?: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable('The database is busy. Retry in a few seconds.', { cause });
}
