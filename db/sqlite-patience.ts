import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { AppError, errorText } from '../core/errors.js';
import { Refused } from './store.js';

const PATIENCE_MS = 5000;

/** Codes of a database that cannot serve now, as opposed to a statement that is wrong (sqlite.org/rescode.html). */
const CANNOT_SERVE =
  /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PROTOCOL)/;
const REFUSED = /^SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH)/;
const BUSY = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/;

/**
 * Runs synchronous work, again and with jitter while another process holds the lock, for 5 s at most.
 * @throws {AppError} `unavailable` when the database stays busy or cannot be used; {@link Refused}.
 */
export async function patiently<Result>(
  work: () => Result,
  giveUpAt = performance.now() + PATIENCE_MS,
): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      const code = error instanceof Database.SqliteError ? error.code : '';
      if (REFUSED.test(code)) throw new Refused(errorText(error), { cause: error });
      if (!CANNOT_SERVE.test(code)) throw error;
      if (!BUSY.test(code)) {
        throw new AppError('unavailable', 'The database cannot be used at the moment.', {
          cause: error,
        });
      }
      if (performance.now() > giveUpAt) throw busy(error);
      await delay(5 + Math.random() * 20);
    }
  }
}

/**
 * The same for work that needs the write lock. SQLite's own wait for it blocks the event loop, so only one
 * of this process waits at the lock; the others wait for that one, and no longer than they would alone.
 */
export function openWritePatience(): <Result>(work: () => Result) => Promise<Result> {
  let atTheLock: Promise<unknown> | null = null;
  return async (work) => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    while (atTheLock) {
      await atTheLock;
      if (performance.now() > giveUpAt) throw busy();
    }
    const done = patiently(work, giveUpAt);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    atTheLock = settled;
    try {
      return await done;
    } finally {
      if (atTheLock === settled) atTheLock = null;
    }
  };
}

function busy(cause?: unknown): AppError {
  return new AppError('unavailable', 'The database is busy.', { cause });
}
