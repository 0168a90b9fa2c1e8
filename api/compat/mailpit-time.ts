/** Times as queries of Mailpit write them. */
import { type Zone, utcOf } from '../../core/mime/facts/time-zones.ts';
import { parseIsoTime } from '../../core/parse-iso-time.ts';

const YEAR_FIRST = /^([1-9]\d{3})[-/.](\d\d?)[-/.](\d\d?)(?=\D|$)/;
const MONTH_FIRST = /^(\d\d?)\/(\d\d?)\/([1-9]\d{3})(?=\D|$)/;
const CLOCK =
  /^[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(?:(Z|UTC|GMT)|([+-]\d\d):?(\d\d)))?$/i;
const SECONDS = /^\d{10}$/;
const MILLISECONDS = /^\d{13}$/;

/**
 * The time of a date (2026-01-31, 2026/01/31 or 01/31/2026), with or without a time of day and an
 * offset, or of seconds or ms since 1970. Null for other text, for days that no calendar has, and
 * before the year 1000, whose times zones do not have.
 * @param zone of times without an offset
 */
export function parseMailpitTime(text: string, zone: Zone): Date | null {
  if (SECONDS.test(text)) return new Date(Number(text) * 1000);
  if (MILLISECONDS.test(text)) return new Date(Number(text));
  const [date, year = '', month = '', day = ''] = YEAR_FIRST.exec(text) ?? monthFirst(text);
  if (date === undefined) return null;
  const clock = text.length === date.length ? [] : CLOCK.exec(text.slice(date.length));
  if (!clock) return null;
  const [, hour = '0', minute = '00', second = '00', fraction = '0', utc, hours, minutes] = clock;
  const shown = `${year}-${twoDigits(month)}-${twoDigits(day)}T${twoDigits(hour)}:${minute}:${second}.${fraction}`;
  const at = parseIsoTime(hours === undefined ? shown : `${shown}${hours}:${minutes ?? '00'}`);
  if (!at) return null;
  const isLocal = utc === undefined && hours === undefined;
  return isLocal ? new Date(utcOf(at.getTime(), zone)) : at;
}

function monthFirst(text: string): string[] {
  const [date, month = '', day = '', year = ''] = MONTH_FIRST.exec(text) ?? [];
  return date === undefined ? [] : [date, year, month, day];
}

function twoDigits(number: string): string {
  return number.padStart(2, '0');
}
