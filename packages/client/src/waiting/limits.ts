/** Seconds of one request. Proxies often close a connection after 30 s without a byte. */
export const REQUEST_SECONDS = 25;
/** How much later than asked for a response may come. */
const GRACE_MS = 15_000;
export const RESPONSE_MS = REQUEST_SECONDS * 1000 + GRACE_MS;

/** Whole seconds until a time; 0 after it. */
export function secondsUntil(time: number): number {
  return Math.max(0, Math.ceil((time - Date.now()) / 1000));
}

/**
 * When the requests of a wait end. What is there is read after the end of the wait too.
 * @throws {TypeError} for a time that is not a number.
 */
export function giveUpAt(until: number): number {
  if (Number.isNaN(until)) throw new TypeError('The time to wait is not a number.');
  return Math.max(until, Date.now()) + GRACE_MS;
}
