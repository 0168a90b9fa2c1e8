/** Reads the event of a calendar in a mail (RFC 5545, RFC 6047). */
import type ical from 'ical.js';
import { decodeCharset } from '../charsets.ts';
import { loadOnce } from '../../share-runs.ts';
import type { CalendarEvent, Person } from '../../../db/schema/mail-facts.ts';
import {
  type Component,
  type Property,
  propertyOf,
  readComponents,
  unfold,
} from './calendar-components.ts';
import { fit } from './fit.ts';
import { definedZone, ianaZone, utcOf, type Zone } from './time-zones.ts';

const CALENDAR = /^(?:text\/(?:x-v)?calendar|application\/ics)\b/;
const CALENDAR_NAME = /\.ics$/i;
/** Of all calendars of a mail. Larger ones are not read: parsing takes about 1 ms for 10 KB. */
const MAX_BYTES = 64 * 1024;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?$/;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const TIME_LENGTH = 'YYYY-MM-DDThh:mm:ss'.length;
const DAY_MS = 86_400_000;
const UTC: Zone = () => 0;

/** Loaded with the first calendar. */
const library = loadOnce(() => import('ical.js'));

interface Part {
  filename: string | undefined;
  contentType: string;
  charset: string | null;
  /** Parameter of Content-Type. */
  method: string | null;
  content: Buffer;
}

/** A time as the calendar gives it. */
interface Given {
  /** In ms, as if it were UTC. */
  local: number;
  isDate: boolean;
  /** Null if the calendar names none that is known. */
  zone: Zone | null;
}

/** The first event of the calendars; null if there is none that can be read. */
export async function readCalendarEvent(parts: Part[]): Promise<CalendarEvent | null> {
  let left = MAX_BYTES;
  for (const { filename = '', contentType, charset, method, content } of parts) {
    if (!CALENDAR.test(contentType) && !CALENDAR_NAME.test(filename)) continue;
    if (content.length > left) continue;
    left -= content.length;
    const { default: ical } = await library.get();
    const event = eventIn(readComponents(decodeCharset(unfold(content), charset), ical), ical);
    if (event) return { ...event, method: event.method ?? (method && fit(method).toUpperCase()) };
  }
  return null;
}

/** The first event in the calendars of one file. */
function eventIn(file: Component[], library: typeof ical): CalendarEvent | null {
  const calendars = file.filter(({ name }) => name === 'vcalendar');
  const calendar = calendars.find(({ components }) => components.some(isEvent));
  const event = calendar?.components.find(isEvent);
  if (!calendar || !event) return null;
  const zoneAt = zonesOf(calendar, library);
  const start = timeOf(propertyOf(event, 'dtstart'), zoneAt);
  const end = timeOf(propertyOf(event, 'dtend'), zoneAt);
  return {
    method: textOf(propertyOf(calendar, 'method'))?.toUpperCase() ?? null,
    summary: textOf(propertyOf(event, 'summary')),
    start: start && shown(start),
    end: end ? shown(end) : start && endAfter(start, propertyOf(event, 'duration'), library),
    organizer: organizerOf(propertyOf(event, 'organizer')),
  };
}

function isEvent({ name }: Component): boolean {
  return name === 'vevent';
}

function textOf(property: Property | undefined): string | null {
  const value = property?.[3];
  return typeof value === 'string' ? fit(value) || null : null;
}

/** The zone of an identifier for a local time in ms. Those that the calendar defines prevail. */
function zonesOf(
  calendar: Component,
  library: typeof ical,
): (id: string, local: number) => Zone | null {
  const zones = new Map<string, Zone | null>();
  return (id, local) => {
    const year = new Date(local).getUTCFullYear();
    const known = zones.get(`${year} ${id}`);
    if (known !== undefined) return known;
    const component = calendar.components.find(
      (each) => each.name === 'vtimezone' && textOf(propertyOf(each, 'tzid')) === id,
    );
    const zone = (component && definedZone(component, year, library)) ?? ianaZone(id);
    zones.set(`${year} ${id}`, zone);
    return zone;
  };
}

function timeOf(
  property: Property | undefined,
  zoneAt: (id: string, local: number) => Zone | null,
): Given | null {
  const value = textOf(property) ?? '';
  const isDate = DATE.test(value);
  if (!isDate && !TIME.test(value)) return null;
  const isUtc = value.endsWith('Z');
  const local = Date.parse(isDate || isUtc ? value : `${value}Z`);
  if (Number.isNaN(local)) return null;
  if (isDate || isUtc) return { local, isDate, zone: isUtc ? UTC : null };
  const id = property?.[1]['tzid'];
  return { local, isDate, zone: typeof id === 'string' ? zoneAt(id, local) : null };
}

/** @param exactMs are added to the time in UTC. */
function shown({ local, isDate, zone }: Given, exactMs = 0): string | null {
  const at = new Date((zone ? utcOf(local, zone) : local) + exactMs);
  if (Number.isNaN(at.getTime())) return null;
  const length = isDate ? DATE_LENGTH : zone ? undefined : TIME_LENGTH;
  return at.toISOString().slice(0, length);
}

/** RFC 5545 section 3.3.6: days and weeks are of the calendar, hours and less are exact. */
function endAfter(
  start: Given,
  property: Property | undefined,
  library: typeof ical,
): string | null {
  const duration = property && new library.Property(property).getFirstValue();
  if (!(duration instanceof library.Duration)) return null;
  const sign = duration.isNegative ? -1 : 1;
  const daysMs = sign * (duration.weeks * 7 + duration.days) * DAY_MS;
  return shown({ ...start, local: start.local + daysMs }, duration.toSeconds() * 1000 - daysMs);
}

function organizerOf(property: Property | undefined): Person | null {
  const value = textOf(property);
  if (value === null) return null;
  const name = property?.[1]['cn'];
  return {
    address: addressIn(value),
    name: typeof name === 'string' ? fit(name) || null : null,
  };
}

/** A `mailto:` URI is percent-encoded (RFC 6068 section 2). */
function addressIn(value: string): string {
  const [, encoded] = /^mailto:([^?]*)/i.exec(value) ?? [];
  if (encoded === undefined) return value;
  try {
    return fit(decodeURIComponent(encoded));
  } catch {
    return encoded;
  }
}
