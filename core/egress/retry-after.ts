/** Upper limit of a delay; longer than any delay of the retry schedule. */
const MAX_MS = 14 * 86_400_000;

/** The three date formats that recipients must accept (RFC 9110 section 5.6.7). */
const HTTP_DATE = new RegExp(
  [
    String.raw`^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$`,
    String.raw`^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$`,
    String.raw`^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$`,
  ].join('|'),
);

/**
 * Milliseconds from now until the time in Retry-After, given in seconds or as a date (RFC 9110
 * section 10.2.3), at most two weeks; null for an invalid value.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const asked = /^\d+$/.test(value) ? Number(value) * 1000 : parseDate(value) - now;
  return Number.isNaN(asked) ? null : Math.min(Math.max(0, asked), MAX_MS);
}

/** Returns NaN for an invalid HTTP date, where `Date.parse` accepts many other formats. */
function parseDate(value: string): number {
  if (!HTTP_DATE.test(value)) return NaN;
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
}
