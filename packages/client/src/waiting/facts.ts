import { now } from '../connection/clock.ts';
import { bodyOf, type Connection } from '../connection/api.ts';
import type { Attempt } from '../connection/retrying-fetch.ts';
import type { MailboxData } from '../types.ts';
import { lastResponseAt } from './limits.ts';
import type { Place } from './search.ts';

/** For what the error of a wait tells beside what the wait has found. */
const FACTS_MS = 2000;

/**
 * The mailbox as it is now; null without one, and if the service does not tell in time.
 * @internal
 */
export async function factsOf({ connection, name }: Place): Promise<MailboxData | null> {
  // The error comes before that of the runner.
  if (name === null || now() >= lastResponseAt()) return null;
  const params = { path: { name } };
  return connection.api
    .GET('/api/mailboxes/{name}', { params, fetch: inTime(connection) })
    .then(bodyOf)
    .catch(() => null);
}

/** @internal */
export function inTime(connection: Connection): Attempt {
  return connection.fetchUntil(now() + FACTS_MS, FACTS_MS);
}
