/** How the store fails. The rest of the service maps these errors to what its callers see. */

/** The database is away, busy, full or read-only. The same statement may succeed later. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/**
 * The database rejects the values of a statement and would reject them again: a constraint is violated or
 * a value is too large.
 */
export class UnstorableError extends Error {
  override name = 'UnstorableError';
}

/** The text of any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
