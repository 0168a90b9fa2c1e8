import { now } from '../connection/clock.ts';
import { type Unanswered, unansweredOf } from '../connection/retrying-fetch.ts';
import { type Elsewhere, MayflyTimeout, type Missed } from '../errors.ts';
import type { MailboxData, Message } from '../types.ts';
import { type Criteria, describe } from './criteria.ts';
import { elsewhereOf } from './elsewhere.ts';
import { factsOf } from './facts.ts';
import { type Limits, limitsOf } from './limits.ts';
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

/**
 * The first result of the messages that match.
 * @throws {MayflyTimeout} when there is none in time. @internal
 */
export async function find<Found>(
  place: Place,
  { timeout = TIMEOUT_SECONDS, order, signal, ...criteria }: WaitOptions,
  { what, look, extract, ...wanted }: Wanted<Found>,
): Promise<Found> {
  const began = now();
  const limits = limitsOf(timeout, 'timeout');
  const misses = new NearMisses();
  const all = { ...criteria, ...extract };
  const surroundings = async (facts: () => Facts): Promise<Surroundings | null> => {
    const mailbox = place.known ?? (await facts());
    if (!mailbox) return null;
    const elsewhere =
      misses.count === 0 ? elsewhereOf(place.connection, mailbox, all, began) : null;
    return { address: mailbox.address, elsewhere: await elsewhere };
  };
  let told: Promise<Surroundings | null> | undefined;
  // At the end of a test, the response of a slow service comes too late.
  const beforeLast = () => {
    told ??= surroundings(() => factsOf(place));
  };
  const found = search(
    place,
    all,
    { ...limits, order: order ?? wanted.order, signal, extract: extract !== undefined, beforeLast },
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
  const missed = { nearest, unmatched: misses.count, waitedMs: now() - began };
  const facts = factsOf(place);
  told ??= surroundings(() => facts);
  throw await timeoutOf(place, { criteria, what, limits, unanswered, facts, told }, missed);
}

/** What a wait has looked for, and how it ended. @internal */
export interface Looked {
  criteria: Criteria;
  what: string;
  limits: Limits;
  /** Set if its last request had no response. */
  unanswered?: Unanswered | undefined;
  facts: Facts;
  told?: Promise<Surroundings | null>;
}

/** The mailbox at the end of the wait. */
type Facts = Promise<MailboxData | null>;

/** What the service is asked for if a wait finds nothing. */
interface Surroundings {
  address: string;
  elsewhere: Elsewhere | null;
}

/** The error of a wait that found nothing, which the report of a test has too. @internal */
export async function timeoutOf(
  place: Place,
  { criteria, what, limits, unanswered, facts, told }: Looked,
  missed: Missed,
): Promise<MayflyTimeout> {
  const mailbox = await facts;
  const surroundings = await told;
  const where = {
    name: place.name,
    address: place.known?.address ?? mailbox?.address ?? surroundings?.address,
    mailbox,
    elsewhere: missed.unmatched === 0 ? surroundings?.elsewhere : null,
    unanswered,
    isAfter: criteria.mark !== undefined || criteria.since !== undefined,
    isCut: limits.isCut,
  };
  const error = new MayflyTimeout(where, describe(criteria, what), missed);
  runningTest()?.report?.(error.message);
  return error;
}
