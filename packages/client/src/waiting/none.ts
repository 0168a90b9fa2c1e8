import { now } from '../connection/clock.ts';
import { unansweredOf } from '../connection/retrying-fetch.ts';
import { MayflyError, MayflyUnexpectedMessage } from '../errors.ts';
import { type Criteria, describe } from './criteria.ts';
import { lastResponseAt, limitsOf, secondsLeft } from './limits.ts';
import { NearMisses } from './near-misses.ts';
import { type Place, search } from './search.ts';

export interface NoneOptions extends Criteria {
  /**
   * Seconds during which no message may arrive. @default 5, or less if the test ends before
   */
  within?: number;
  signal?: AbortSignal;
}

const WITHIN_SECONDS = 5;
/** Seconds after the window in which accepted mail must have been stored. */
const SETTLE_SECONDS = 30;

/**
 * Resolves when no message has matched until then, and all accepted mail has been considered.
 * @throws {MayflyUnexpectedMessage} as soon as one matches.
 * @throws {MayflyError} `unsettled` when accepted mail is not stored in time.
 * @throws {TypeError} for a window that ends after the test.
 * @internal
 */
export async function expectNone(place: Place, options: NoneOptions): Promise<void> {
  const { within = Math.min(WITHIN_SECONDS, secondsLeft()), signal, ...criteria } = options;
  if ('timeout' in criteria)
    throw new TypeError('expectNone() has no timeout: within is the time without mail.');
  let limits = limitsOf(within, 'within');
  if (limits.isCut)
    throw new TypeError(
      `The test ends in less than ${within} s. Shorten within, or raise the timeout of the test.`,
    );
  const giveUpAt = limits.until + SETTLE_SECONDS * 1000;
  for (; ; limits = limitsOf(1, 'within')) {
    const misses = new NearMisses();
    const found = search(place, criteria, { ...limits, order: 'oldest', signal }, misses);
    const { done, value } = await found.next().catch((error: unknown) => {
      throw unsettled(unansweredOf(error).message);
    });
    if (!done) throw new MayflyUnexpectedMessage(place.name, describe(criteria), value);
    if (value.settled) return;
    if (now() >= Math.min(giveUpAt, lastResponseAt()))
      throw unsettled('accepted mail is still being stored');
  }
}

function unsettled(reason: string): MayflyError {
  const error = `Whether a message arrived is unknown: ${reason}.`;
  return new MayflyError(0, { code: 'unsettled', error });
}
