const FORM =
  /^(\d{4}-\d\d-\d\d)(?:(?:[T ]|\+(?=\d\d:\d\d:))(\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: ?(Z)| ?([+-]\d\d):?(\d\d)?)?)?$/i;

/**
 * Reads an ISO 8601 date or date-time in the extended format. Without a time it is midnight, and
 * without an offset it is UTC. A blank can stand in place of `T`, or the `+` of an encoded form.
 * Null for other text, leap seconds, and days that the calendar does not have.
 */
export function parseIsoTime(text: string): Date | null {
  const parts = FORM.exec(text);
  if (!parts) return null;
  const [, day = '', clock = '00:00', seconds = '00', fraction = '0', , hours, minutes] = parts;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes ?? '00'}`;
  const at = new Date(`${day}T${clock}:${seconds}.${fraction.slice(0, 3)}${offset}`);
  // `Date` accepts 31 February.
  const isDay = new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(8));
  return isDay && !Number.isNaN(at.getTime()) ? at : null;
}
