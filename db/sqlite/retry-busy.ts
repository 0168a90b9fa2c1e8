import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DatabaseUnavailable, UnstorableError, errorText } from '../errors.js';

const RETRY_LIMIT_MS = 5000;

/** Codes of a database that cannot serve now, as opposed to a statement that is wrong (sqlite.org/rescode.html). */
const CANNOT_SERVE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL)/;
const UNSTORABLE = /^SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH)/;
const BUSY = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/;

/**
 * Runs synchronous work, again and with jitter while another process holds the lock, for 5 s at most.
 * @throws {DatabaseUnavailable} when the database stays busy or cannot be used; {@link UnstorableError}.
 */
export async function retryWhileBusy<Result>(
  work: () => Result,
  giveUpAt = performance.now() + RETRY_LIMIT_MS,
): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      const code = error instanceof Database.SqliteError ? error.code : '';
      if (UNSTORABLE.test(code)) throw new UnstorableError(errorText(error), { cause: error });
      if (!CANNOT_SERVE.test(code)) throw error;
      if (!BUSY.test(code)) {
        throw new DatabaseUnavailable(
          'The database is temporarily unavailable. Retry in a few seconds.',
          {
            cause: error,
          },
        );
      }
      if (performance.now() > giveUpAt) throw busy(error);
      await delay(5 + Math.random() * 20);
    }
  }
}

/**
 * The same for work that needs the write lock. SQLite's own wait for it blocks the event loop, so only one
 * call of this process waits for the lock. The others wait for that call, within the same time limit.
 */
export function openWriteLock(): <Result>(work: () => Result) => Promise<Result> {
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
