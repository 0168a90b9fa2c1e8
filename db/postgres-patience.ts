/**
 * What PostgreSQL's failures mean to a caller (PostgreSQL documentation, appendix A, "Error Codes"). Drizzle puts the
 * parameters of a statement, which may be somebody's mail, into its error's text: only the cause goes on from here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { AppError, errorText } from '../core/errors.js';
import { Refused } from './store.js';

const PATIENCE_MS = 5000;
const MAX_PAUSE_MS = 100;

/** Data exceptions and broken constraints. */
const REFUSED = /^2[23]/;
/** Serialization failures and deadlocks: the same would have worked alone. */
const BESIDE_OTHERS = /^(?:40001|40P01)$/;
/** Connections, resources, shutdowns, failing disks, a server that only reads. */
const CANNOT_SERVE = /^(?:08|53|57P0|57014|58|25006|55P03|28|3D000)/;
/** What Node and pg say of a connection, without a code of PostgreSQL's. */
const AWAY =
  /^(?:E[A-Z]+|CERT_|DEPTH_|SELF_SIGNED|UNABLE_)|Connection terminated|timeout|not queryable|Client was closed/i;

/** The failure as the store's callers know it; what nobody expected is handed on as it is. */
export function postgresFailure(thrown: unknown): unknown {
  const error = causeOf(thrown);
  const code = codeOf(error);
  if (REFUSED.test(code)) return new Refused(errorText(error), { cause: error });
  if (isAway(error) || BESIDE_OTHERS.test(code)) {
    return new AppError('unavailable', 'The database cannot be used at the moment.', {
      cause: error,
    });
  }
  return error;
}

/** Whether the connection, or the server, is what failed. */
export function isAway(thrown: unknown): boolean {
  const error = causeOf(thrown);
  const code = codeOf(error);
  if (CANNOT_SERVE.test(code)) return true;
  const isServers = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
  return !isServers && (AWAY.test(code) || AWAY.test(errorText(error)));
}

/** Runs a transaction again, with jitter, when it only failed for running beside another; for 5 s at most. */
export async function besideOthers<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let pause = 5; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      const isOver = performance.now() > giveUpAt;
      if (isOver || !BESIDE_OTHERS.test(codeOf(causeOf(error)))) throw postgresFailure(error);
      await delay(Math.random() * pause);
    }
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
