/** Reads the `Date` field of a mail (RFC 5322 sections 3.3 and 4.3). */
import { parseIsoTime } from '../../parse-iso-time.ts';
import { withoutOuterComments } from './comments.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Day of the week, day, month, year, time, AM or PM, zone. Hyphens are those of RFC 850. */
const FORM =
  /^(?:[a-z]{2,9}\s*[,.]?\s*)?(\d{1,2})[\s-]+([a-z]{3})[a-z]{0,6}\.?[\s,-]+(\d{2,4})\s+(\d{1,2})\s*:\s*(\d{1,2})(?:\s*:\s*(\d{1,2})(?:\.\d{1,9})?)?(?:\s*([ap])m\b)?\s*((?:(?:GMT|UTC?)\s?)?[+-]\s?\d{1,2}(?::?\d{2})?|[a-z]{1,5})?(?:\s.*)?$/i;
/** As the C function `asctime` writes it, which some programs use: the year follows the time. */
const ASCTIME =
  /^[a-z]{3}\s+([a-z]{3})\s+(\d{1,2})\s+(\d{1,2}:\d{2}:\d{2})\s+(?:([a-z]{1,5})\s+)?(\d{4})(?=\s+[+-]\d|$)/i;
/** The month before the day, as in JavaScript and in the United States. */
const MONTH_FIRST =
  /^(?:[a-z]{3,9}[,.]?\s+)?([a-z]{3})[a-z]{0,6}\.?\s+(\d{1,2}),?\s+(\d{4})(?=\s)/i;
const OFFSET = /^(?:gmt|utc?)?\s?([+-])\s?(\d{1,2}):?(\d{2})?$/i;

/** Hours (RFC 5322 section 4.3). Other names, and the letters of the military, mean UTC. */
const ZONES: Readonly<Record<string, number>> = {
  ...{ edt: -4, est: -5, cdt: -5, cst: -6 },
  ...{ mdt: -6, mst: -7, pdt: -7, pst: -8 },
};

/** Longer fields are not read. */
const MAX_LENGTH = 998;
const MINUTE_MS = 60_000;

/**
 * The time of a `Date` field. Also reads ISO 8601, the form of `asctime`, the month before the day,
 * hours with AM or PM, and `GMT+1`, which some programs write. Without a zone it is UTC. Null for
 * other text, and for a day that the calendar does not have.
 */
export function readDateField(value: string): Date | null {
  if (value.length > MAX_LENGTH) return null;
  const text = withoutOuterComments(value)
    .trim()
    .replace(ASCTIME, '$2 $1 $5 $3 $4')
    .replace(MONTH_FIRST, '$2 $1 $3');
  const parts = FORM.exec(text);
  if (!parts) return parseIsoTime(text);
  const [, day = '', month = '', year = '', hour = '', minute = '', second = '0', half, zone = ''] =
    parts;
  const clock = { day: +day, month: MONTHS.indexOf(month.toLowerCase()), year: fullYear(year) };
  const offset = offsetMinutes(zone);
  const hourOfDay = half ? (+hour % 12) + (/p/i.test(half) ? 12 : 0) : +hour;
  if (hourOfDay > 23 || +minute > 59 || +second > 60 || offset === null) return null;
  const midnight = Date.UTC(clock.year, clock.month, clock.day);
  const found = new Date(midnight);
  if (clock.month < 0 || found.getUTCDate() !== clock.day) return null;
  return new Date(midnight + (hourOfDay * 60 + +minute - offset) * MINUTE_MS + +second * 1000);
}

/** RFC 5322 section 4.3: two digits from 50, and three digits, count from 1900. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year + (digits.length === 2 && year < 50 ? 2000 : 1900);
}

function offsetMinutes(zone: string): number | null {
  const [, sign, hours = '', minutes = ''] = OFFSET.exec(zone) ?? [];
  if (sign === undefined) return (ZONES[zone.toLowerCase()] ?? 0) * 60;
  if (+hours > 23 || +minutes > 59) return null;
  return (sign === '-' ? -1 : 1) * (+hours * 60 + +minutes);
}
