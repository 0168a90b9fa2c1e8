import { now } from '../connection/clock.ts';
import { runningTest } from './running-test.ts';

/** Seconds of one request. Proxies often close a connection after 30 s without a byte. */
export const REQUEST_SECONDS = 25;
/** How much later than asked for a response may come. */
const GRACE_MS = 15_000;
export const RESPONSE_MS = REQUEST_SECONDS * 1000 + GRACE_MS;

const MOST_SECONDS = 3600;
/** Before a test runner ends the test: when a wait ends, and when its last response is there. */
const BEFORE_END_MS = 500;
const LAST_RESPONSE_MS = 200;
/** A response that is so late can come after the end of the test. */
const LATE_MS = 5000;

/** When a call that waits ends, in milliseconds since 1970. */
export interface Limits {
  readonly until: number;
  /**
   * When the last of its requests ends, if the test has not ended it. What is there is read after
   * the end of the wait too.
   */
  readonly giveUpAt: number;
  /** Whether the end of the test is why it ends. */
  readonly isCut: boolean;
}

/**
 * The end of a call that waits from now on: after so many seconds, or whole seconds before the end
 * of the test.
 * @param name of the option, for the error
 * @throws {TypeError} for what is not a number of seconds from 0 to 3,600.
 */
export function limitsOf(seconds: number, name: 'timeout' | 'within'): Limits {
  checkSeconds(seconds, name);
  const left = secondsLeft();
  const until = now() + Math.min(seconds, left) * 1000;
  return { until, giveUpAt: until + GRACE_MS, isCut: left < seconds };
}

/** Whole seconds for which a wait can last before the test ends; infinite without an end. */
export function secondsLeft(): number {
  const end = testEnd();
  if (end === null) return Infinity;
  return Math.max(0, Math.floor((end - BEFORE_END_MS - now()) / 1000));
}

/** Whole seconds until a time; 0 after it. */
export function secondsUntil(time: number): number {
  return Math.max(0, Math.ceil((time - now()) / 1000));
}

/**
 * When the last response must be there for the error to come before that of the runner, in
 * milliseconds since 1970; infinite without an end.
 */
export function lastResponseAt(): number {
  return (testEnd() ?? Infinity) - LAST_RESPONSE_MS;
}

/** Whether a response to the last request of a wait may come after the end of the test. */
export function endsTest(until: number): boolean {
  return lastResponseAt() - until < LATE_MS;
}

function testEnd(): number | null {
  return runningTest()?.endsAt() ?? null;
}

function checkSeconds(seconds: unknown, name: string): void {
  if (typeof seconds !== 'number' || Number.isNaN(seconds))
    throw new TypeError(
      `${name} is a number of seconds, not ${typeof seconds === 'string' ? `"${seconds}"` : String(seconds)}.`,
    );
  if (seconds >= 0 && seconds <= MOST_SECONDS) return;
  const meant =
    seconds > 0 && seconds % 1000 === 0 ? ` Write ${seconds / 1000} for ${seconds} ms.` : '';
  throw new TypeError(`${name} is in seconds, 0 to ${MOST_SECONDS}, not ${seconds}.${meant}`);
}
