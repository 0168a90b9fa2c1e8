/** Errors of the store. The callers map them to their own errors. */

/** The database is unreachable, busy, full or read-only. The same statement can succeed later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/**
 * The database rejects the values of a statement permanently: a constraint is violated or a value
 * is too large.
 */
export class UnstorableError extends Error {
  override name = 'UnstorableError';
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
