/**
 * What PostgreSQL's failures mean to a caller. They are told apart by their SQLSTATE codes (PostgreSQL documentation,
 * appendix A, "Error Codes") and by their types, never by their texts: a programming error passes unchanged. Drizzle
 * puts the parameters of a statement, which may be somebody's mail, into its error's text: only the cause goes on
 * from here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import { DatabaseUnavailable, UnstorableError, errorText } from '../errors.js';
import { ConnectionFailure } from './connections.js';

const RETRY_LIMIT_MS = 5000;
const MAX_PAUSE_MS = 100;

/** Data exceptions and broken constraints. */
const UNSTORABLE = /^2[23]/;
/** Serialization failures and deadlocks: the same would have worked alone. */
const SERIALIZATION_FAILURE = /^(?:40001|40P01)$/;
/** Connections, resources, shutdowns, failing disks, a server that only reads. */
const CANNOT_SERVE = /^(?:08|53|57P0|57014|58|25006|55P03|28|3D000)/;

/** The failure as the store's callers know it; what nobody expected is handed on as it is. */
export function postgresFailure(thrown: unknown): unknown {
  const error = causeOf(thrown);
  const code = sqlStateOf(error);
  if (UNSTORABLE.test(code)) return new UnstorableError(errorText(error), { cause: error });
  if (isAway(error) || SERIALIZATION_FAILURE.test(code)) {
    return new DatabaseUnavailable(
      'The database is temporarily unavailable. Retry in a few seconds.',
      {
        cause: error instanceof ConnectionFailure ? error.cause : error,
      },
    );
  }
  return error;
}

/** Whether the connection, or the server, is what failed. */
export function isAway(thrown: unknown): boolean {
  const error = causeOf(thrown);
  return error instanceof ConnectionFailure || CANNOT_SERVE.test(sqlStateOf(error));
}

/** Runs a transaction again, with jitter, when it only failed for running beside another; for 5 s at most. */
export async function retrySerialization<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + RETRY_LIMIT_MS;
  for (let pause = 5; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isOver = performance.now() > giveUpAt;
      if (isOver || !SERIALIZATION_FAILURE.test(sqlStateOf(causeOf(error))))
        throw postgresFailure(error);
      await delay(Math.random() * pause);
    }
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error;
}

/** Empty for what the server did not report. */
function sqlStateOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
