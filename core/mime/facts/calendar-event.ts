/** Reads the event of a calendar in a mail (RFC 5545, RFC 6047). */
import { loadOnce } from '../../share-runs.ts';
import type { CalendarEvent, Person } from '../../../db/schema/mail-facts.ts';
import { fit } from './fit.ts';

/** A property as RFC 7265 writes it: name, parameters, type, values. */
type Property = [string, Record<string, string | string[]>, string, ...unknown[]];
type Component = [string, Property[], Component[]];

const CALENDAR = /^(?:text\/calendar|application\/ics)\b/;
/** Larger calendars are not read: parsing takes about 1 ms for 10 KB. */
const MAX_BYTES = 64 * 1024;
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** Loaded with the first calendar. */
const library = loadOnce(() => import('ical.js'));

interface Part {
  contentType: string;
  content: Buffer;
}

/** The first event of the first calendar; null if there is none that can be read. */
export async function readCalendarEvent(parts: Part[]): Promise<CalendarEvent | null> {
  const calendar = parts.find(({ contentType }) => CALENDAR.test(contentType));
  if (!calendar || calendar.content.length > MAX_BYTES) return null;
  const { default: ical } = await library.get();
  try {
    const root = ical.parse(calendar.content.toString()) as Component;
    const [, properties, components] = typeof root[0] === 'string' ? root : root[0];
    const event = components.find(([name]) => name === 'vevent');
    if (!event) return null;
    const of = (name: string) => event[1].find(([each]) => each === name);
    const start = timeOf(of('dtstart'));
    return {
      method: textOf(properties.find(([name]) => name === 'method'))?.toUpperCase() ?? null,
      summary: textOf(of('summary')),
      start,
      end: timeOf(of('dtend')) ?? endAfter(start, ical, textOf(of('duration'))),
      organizer: organizerOf(of('organizer')),
    };
  } catch {
    return null;
  }
}

function textOf(property: Property | undefined): string | null {
  const value = property?.[3];
  return typeof value === 'string' ? fit(value) || null : null;
}

function timeOf(property: Property | undefined): string | null {
  const value = textOf(property);
  if (value === null || !LOCAL_TIME.test(value)) return value && utc(value);
  const zone = property?.[1]['tzid'];
  return typeof zone === 'string' ? (inZone(value, zone) ?? value) : value;
}

/** A time with Z with milliseconds; other values as they are, if they are times. */
function utc(value: string): string | null {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return null;
  return value.endsWith('Z') ? at.toISOString() : value;
}

/** The local time of a zone of the IANA database in UTC; null for another zone. */
function inZone(local: string, timeZone: string): string | null {
  const wanted = Date.parse(`${local}Z`);
  try {
    const format = new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone, dateStyle: 'short', timeStyle: 'medium' },
    });
    const localAt = (at: number) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
    // The second step is right beside a change of the offset.
    const near = wanted - (localAt(wanted) - wanted);
    return new Date(near - (localAt(near) - wanted)).toISOString();
  } catch {
    return null;
  }
}

function endAfter(
  start: string | null,
  { Duration }: { Duration: { fromString: (text: string) => { toSeconds: () => number } } },
  duration: string | null,
): string | null {
  if (start === null || duration === null) return null;
  const from = Date.parse(LOCAL_TIME.test(start) ? `${start}Z` : start);
  const end = new Date(from + Duration.fromString(duration).toSeconds() * 1000).toISOString();
  return LOCAL_TIME.test(start) ? end.slice(0, 19) : start.includes('T') ? end : end.slice(0, 10);
}

function organizerOf(property: Property | undefined): Person | null {
  const value = textOf(property);
  if (value === null) return null;
  const name = property?.[1]['cn'];
  return {
    address: value.replace(/^mailto:/i, ''),
    name: typeof name === 'string' ? fit(name) || null : null,
  };
}
