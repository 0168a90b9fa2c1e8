import { bodyOf } from '../connection/api.ts';
import { type Unanswered, unansweredOf } from '../connection/retrying-fetch.ts';
import { MayflyTimeout, type Missed } from '../errors.ts';
import type { MailboxData, Message } from '../types.ts';
import { type Criteria, describe } from './criteria.ts';
import { lastResponseAt, type Limits, limitsOf } from './limits.ts';
import { NearMisses } from './near-misses.ts';
import { runningTest } from './running-test.ts';
import { type Order, type Place, missOf, search } from './search.ts';

export interface WaitOptions extends Criteria {
  /** Seconds, at most 3,600. @default 25, or less if the test ends before */
  timeout?: number;
  /**
   * Which of several messages that match is taken. @default 'oldest' for wait(), 'newest' for codes
   * and links
   */
  order?: Order;
  signal?: AbortSignal;
}

/** What a wait looks for in the messages that match. */
export interface Wanted<Found> {
  /** As the error calls it: `code`. */
  readonly what: string;
  readonly order: Order;
  readonly look: (message: Message) => Found | null | undefined;
  /** A criterion of codes and links, or none; the messages then have `extracted`. */
  readonly extract?: Pick<Criteria, 'hasCode' | 'link'>;
}

const TIMEOUT_SECONDS = 25;
/** For what the error tells about the mailbox. */
const FACTS_MS = 2000;

/**
 * The first result of the messages that match.
 * @throws {MayflyTimeout} when there is none in time. @internal
 */
export async function find<Found>(
  place: Place,
  { timeout = TIMEOUT_SECONDS, order, signal, ...criteria }: WaitOptions,
  { what, look, extract, ...wanted }: Wanted<Found>,
): Promise<Found> {
  const began = Date.now();
  const limits = limitsOf(timeout, 'timeout');
  const misses = new NearMisses();
  const found = search(
    place,
    { ...criteria, ...extract },
    { ...limits, order: order ?? wanted.order, signal, extract: extract !== undefined },
    misses,
  );
  let unanswered: Unanswered | undefined;
  try {
    for await (const message of found) {
      const result = look(message);
      if (result) return result;
      misses.add([missOf(message, [what])]);
    }
  } catch (error) {
    unanswered = unansweredOf(error);
  }
  // The service names the criterion; the error names what was waited for.
  const nearest = misses.nearest.map(({ failed, ...miss }) => ({
    ...miss,
    failed: failed.map((name) => (extract && name in extract ? what : name)),
  }));
  const missed = { nearest, unmatched: misses.count, waitedMs: Date.now() - began };
  throw await timeoutOf(place, { criteria, what, limits, unanswered }, missed);
}

/** What a wait has looked for, and how it ended. @internal */
export interface Looked {
  criteria: Criteria;
  what: string;
  limits: Limits;
  /** Set if its last request had no response. */
  unanswered?: Unanswered | undefined;
}

/** The error of a wait that found nothing, which the report of a test has too. @internal */
export async function timeoutOf(
  place: Place,
  { criteria, what, limits, unanswered }: Looked,
  missed: Missed,
): Promise<MayflyTimeout> {
  const where = {
    name: place.name,
    address: place.address,
    mailbox: await factsOf(place),
    unanswered,
    isAfter: criteria.mark !== undefined || criteria.since !== undefined,
    isCut: limits.isCut,
  };
  const error = new MayflyTimeout(where, describe(criteria, what), missed);
  runningTest()?.report?.(error.message);
  return error;
}

/** The mailbox as it is now; null without one, and if the service does not tell in time. */
async function factsOf({ connection, name }: Place): Promise<MailboxData | null> {
  // The error comes before that of the runner.
  if (name === null || Date.now() >= lastResponseAt()) return null;
  const fetch = connection.fetchUntil(Date.now() + FACTS_MS, FACTS_MS);
  const params = { path: { name } };
  return connection.api
    .GET('/api/mailboxes/{name}', { params, fetch })
    .then(bodyOf)
    .catch(() => null);
}
