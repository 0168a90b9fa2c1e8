/** Longer than any delay it could stretch; what is asked for beyond that is asked for in vain. */
const MAX_MS = 14 * 86_400_000;

/** The three forms of a date that RFC 9110 section 5.6.7 has every recipient accept. */
const HTTP_DATE = new RegExp(
  [
    String.raw`^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$`,
    String.raw`^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$`,
    String.raw`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$`,
  ].join('|'),
);

/**
 * The milliseconds from now that a Retry-After asks for, in seconds or until a date (RFC 9110 section
 * 10.2.3), two weeks at most; null for anything else.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const asked = /^\d+$/.test(value) ? Number(value) * 1000 : parseDate(value) - now;
  return Number.isNaN(asked) ? null : Math.min(Math.max(0, asked), MAX_MS);
}

/** NaN for what is no HTTP date: `Date.parse` alone takes much else. */
function parseDate(value: string): number {
  if (!HTTP_DATE.test(value)) return NaN;
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
}
