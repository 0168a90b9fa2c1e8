/**
 * Classifies PostgreSQL errors by SQLSTATE (PostgreSQL documentation, appendix A, "Error Codes")
 * and by type, never by text. Programming errors pass unchanged. The error text of Drizzle contains
 * the statement parameters, which can be the content of a mail, so only its cause is kept.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import { DatabaseUnavailable, UnstorableError, messageOf } from '../errors.ts';
import { ConnectionFailure } from './connections.ts';

const RETRY_LIMIT_MS = 5000;
const MAX_PAUSE_MS = 100;

/** Data exceptions and violated constraints. */
const UNSTORABLE = /^2[23]/;
/** Serialization failures and deadlocks. The transaction can succeed if run again. */
const SERIALIZATION_FAILURE = /^(?:40001|40P01)$/;
/**
 * A row that the transaction has read was removed before another row that refers to it was written.
 * A transaction that runs again does not read it.
 */
const REMOVED_MEANWHILE = '23503';
const MAX_REMOVALS = 5;
/** Connection and resource errors, shutdown, disk errors, read-only server. */
const CANNOT_SERVE = /^(?:08|53|57P0|57014|58|25006|55P03|28|3D000)/;

/** Maps an error to one of db/errors.ts. Unknown errors are returned as they are. */
export function postgresFailure(thrown: unknown): unknown {
  const error = causeOf(thrown);
  const code = sqlStateOf(error);
  if (UNSTORABLE.test(code)) return new UnstorableError(messageOf(error), { cause: error });
  if (isUnavailable(error) || SERIALIZATION_FAILURE.test(code)) {
    return new DatabaseUnavailable(
      'The database is temporarily unavailable. Retry in a few seconds.',
      {
        cause: error instanceof ConnectionFailure ? error.cause : error,
      },
    );
  }
  return error;
}

/** Whether the connection or the server failed. */
export function isUnavailable(thrown: unknown): boolean {
  const error = causeOf(thrown);
  return error instanceof ConnectionFailure || CANNOT_SERVE.test(sqlStateOf(error));
}

/**
 * Repeats a transaction with jitter after serialization failures, for up to 5 s, and at most five
 * times after the removal of a row that it refers to.
 */
export async function retrySerialization<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + RETRY_LIMIT_MS;
  let removals = 0;
  for (let pause = 5; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const code = sqlStateOf(causeOf(error));
      if (code === REMOVED_MEANWHILE) removals += 1;
      else if (!SERIALIZATION_FAILURE.test(code)) throw postgresFailure(error);
      if (removals > MAX_REMOVALS || performance.now() > giveUpAt) throw postgresFailure(error);
      await delay(Math.random() * pause);
    }
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error;
}

/** Empty if the error does not come from the server. */
function sqlStateOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
