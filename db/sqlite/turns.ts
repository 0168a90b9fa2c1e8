/**
 * When statements run: in turns of the event loop, and again while another process holds the lock.
 * SQLite runs statements synchronously, and awaiting one lets neither
 * timers nor I/O run. A loop over statements, or a queue of transactions, would stop the process
 * for as long as it lasts: 6.5 s were measured, after which locks of jobs were lost. After some
 * milliseconds of a turn, work therefore waits for the next turn.
 */
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { DatabaseUnavailable, UnstorableError, messageOf } from '../errors.ts';

/**
 * The time from the first work of a turn until other work waits. A turn costs some microseconds,
 * and mail waits for the turn of a long loop.
 */
const TURN_MS = 5;

/**
 * Runs synchronous work, in the order of the calls: at once, or in one of the next turns.
 * Resolves to its result.
 */
export type InTurn = <Result>(work: () => Result) => Promise<Result>;

export function openTurns(): InTurn {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  let endsAt = 0;

  const hasTime = () => performance.now() < endsAt;
  const begin = () => {
    isOpen = true;
    endsAt = performance.now() + TURN_MS;
    setImmediate(next);
  };
  const next = () => {
    isOpen = false;
    if (waiting.length === 0) return;
    begin();
    while (waiting.length > 0 && hasTime()) waiting.shift()?.();
  };

  return async (work) => {
    if (!isOpen) begin();
    if (waiting.length === 0 && hasTime()) return work();
    return new Promise((resolve) => {
      waiting.push(() => {
        resolve((async () => work())()); // which rejects if it throws
      });
    });
  };
}

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
