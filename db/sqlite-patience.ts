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
export async function patiently<Result>(work: () => Result): Promise<Result> {
  const giveUpAt = Date.now() + PATIENCE_MS;
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
      if (Date.now() > giveUpAt) {
        throw new AppError('unavailable', 'The database is busy.', { cause: error });
      }
      await delay(5 + Math.random() * 20);
    }
  }
}
