/**
 * Local times of calendars in UTC. A zone is defined by a VTIMEZONE component of the calendar (RFC
 * 5545 section 3.6.5), or else by the IANA database.
 */
import type ical from 'ical.js';
import { type Component, type Property, propertyOf } from './calendar-components.ts';

/** The offset from UTC, in ms, at a time in ms since the epoch. */
export type Zone = (at: number) => number;

/** A change of the offset. Times and offsets are in ms. */
interface Change {
  at: number;
  before: number;
  after: number;
}

const DAY_MS = 86_400_000;
/** More observances, and longer rules, than any zone has. They bound the work. */
const MAX_OBSERVANCES = 50;
const MAX_MONTH_DAYS = 8;
const MAX_TIMES = 12;

/**
 * The time in UTC of a local time, both in ms; the local one as if it were UTC. By RFC 5545 section
 * 3.3.5, a local time that occurs twice is its first occurrence, and one that does not occur has
 * the offset before the gap.
 */
export function utcOf(local: number, zone: Zone): number {
  const before = zone(local - DAY_MS);
  const first = local - before;
  if (zone(first) === before) return first;
  const after = zone(local + DAY_MS);
  const second = local - after;
  return zone(second) === after ? second : first;
}

/** The zone of the IANA database; null if there is none of this name. */
export function ianaZone(timeZone: string): Zone | null {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone, dateStyle: 'short', timeStyle: 'medium' },
    });
    return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`) - at;
  } catch {
    return null;
  }
}

/**
 * The zone that a VTIMEZONE defines, for times in one year. Null if it cannot be read, has more
 * observances, or a rule that is not one of a day in each year, as those of all zones are.
 */
export function definedZone(zone: Component, year: number, library: typeof ical): Zone | null {
  if (zone.components.length > MAX_OBSERVANCES) return null;
  try {
    const changes = zone.components
      .flatMap((observance) => changesOf(observance, year, library))
      .sort((a, b) => a.at - b.at);
    const [first] = changes;
    if (!first) return null;
    return (at) => changes.findLast((change) => change.at <= at)?.after ?? first.before;
  } catch {
    return null;
  }
}

/** The changes to an observance: its start, its dates, and those by its rule near the year. */
function changesOf(observance: Component, year: number, library: typeof ical): Change[] {
  const before = offsetOf(propertyOf(observance, 'tzoffsetfrom'));
  const after = offsetOf(propertyOf(observance, 'tzoffsetto'));
  const dates = observance.properties.filter(([name]) => name === 'rdate' || name === 'dtstart');
  const start = propertyOf(observance, 'dtstart');
  const rule = propertyOf(observance, 'rrule');
  return [
    ...dates.flatMap(([, , , ...values]) => values),
    ...(start && rule ? timesOf(rule, start, { year, before, library }) : []),
  ].flatMap((value) => {
    const text = String(value);
    const isUtc = text.endsWith('Z');
    const at = isUtc ? Date.parse(text) : Date.parse(`${text}Z`) - before;
    return Number.isNaN(at) ? [] : { at, before, after };
  });
}

/** @throws if it is missing or malformed. */
function offsetOf(property: Property | undefined): number {
  const found = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(String(property?.[3]));
  if (!found) throw new Error('no offset from UTC');
  const [, sign, hours, minutes, seconds] = found;
  const ms = 1000 * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0));
  return sign === '-' ? -ms : ms;
}

/**
 * The local times of a rule from two years before to the year after. Of a rule that ended before,
 * its last ones: they are in effect until another change.
 * @throws if the rule is of another form.
 */
function timesOf(
  property: Property,
  [, , , startValue]: Property,
  { year, before, library }: { year: number; before: number; library: typeof ical },
): string[] {
  const { Property, Recur, Time } = library;
  const rule = new Property(property).getFirstValue();
  if (!(rule instanceof Recur) || !isYearly(rule)) throw new Error('an unusual rule');
  const start = Time.fromDateTimeString(String(startValue));
  const end = Time.fromDateTimeString(`${String(year + 1).padStart(4, '0')}-12-31T23:59:59`);
  // The end of a rule is in UTC. Its times are local, as the start is.
  rule.until?.adjust(0, 0, 0, before / 1000);
  if (rule.until === null || rule.until.compare(end) > 0) rule.until = end;
  start.year = Math.max(start.year, rule.until.year - 3);
  const times: string[] = [];
  const iterator = rule.iterator(start);
  while (times.length < MAX_TIMES) {
    const time = iterator.next();
    if (iterator.completed) break;
    times.push(time.toString());
  }
  return times;
}

function isYearly({ freq, interval, count, parts }: ical.Recur): boolean {
  const { BYMONTH = [], BYDAY = [], BYMONTHDAY = [], ...others } = parts;
  return (
    freq === 'YEARLY' &&
    interval === 1 &&
    count === null &&
    Object.keys(others).length === 0 &&
    BYMONTH.length <= 1 &&
    BYDAY.length <= 1 &&
    BYMONTHDAY.length <= MAX_MONTH_DAYS
  );
}
