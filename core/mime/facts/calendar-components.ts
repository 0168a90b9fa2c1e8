/**
 * Reads the components of a calendar (RFC 5545 section 3.4) as far as possible: lines that are not
 * properties are left out, components without end are ended, and other text is ignored.
 */
import type ical from 'ical.js';

/** A property as RFC 7265 writes it: name, parameters, type, values. */
export type Property = [string, Record<string, string | string[]>, string, ...unknown[]];

export interface Component {
  /** In lower case. */
  name: string;
  properties: Property[];
  components: Component[];
}

const FOLD = /\r?\n[ \t]/g;
/** Others, such as attendees and alarms, are not parsed. */
const READ =
  /^(?:method|summary|dtstart|dtend|duration|organizer|tzid|tzoffsetfrom|tzoffsetto|rrule|rdate)[;:]/i;
/** Of an event that lasts whole days, without `VALUE=DATE`, which some programs leave out. */
const DATE_NAME = /^dt(?:start|end)(?=[;:])/i;
const DATE_VALUE = /^\d{8}$/;
const BOUND = /^(begin|end):\s*([\w-]+)/i;
/** A calendar, its zone, and a part of the zone are three levels; deeper ones have no meaning. */
const MAX_DEPTH = 4;

/** The outermost components. */
export function readComponents(text: string, { parse }: typeof ical): Component[] {
  const root: Component = { name: '', properties: [], components: [] };
  const open = [root];
  for (const line of text.replace(FOLD, '').split(/[\r\n]+/)) {
    const [, bound, name = ''] = BOUND.exec(line.trimStart()) ?? [];
    if (bound === undefined) {
      const property = READ.test(line) ? propertyIn(line, parse) : null;
      if (property) open.at(-1)?.properties.push(property);
    } else if (bound.toLowerCase() === 'end') {
      const at = open.findLastIndex((each) => each.name === name.toLowerCase());
      if (at > 0) open.length = at;
    } else if (open.length <= MAX_DEPTH) {
      const component = { name: name.toLowerCase(), properties: [], components: [] };
      open.at(-1)?.components.push(component);
      open.push(component);
    }
  }
  return root.components;
}

/**
 * The file with its lines unfolded, before it is decoded: a line can be folded inside a character
 * (RFC 5545 section 3.1). Left as it is if a character can contain a line feed, as in UTF-16.
 */
export function unfold(file: Buffer): Buffer {
  return file.includes(0) ? file : Buffer.from(file.toString('latin1').replace(FOLD, ''), 'latin1');
}

/** Null if the line is malformed. */
function propertyIn(line: string, parse: typeof ical.parse): Property | null {
  try {
    return parse.property(withValueType(line)) as Property;
  } catch {
    return null;
  }
}

function withValueType(line: string): string {
  const [name] = DATE_NAME.exec(line) ?? [];
  const value = line.slice(line.lastIndexOf(':') + 1).trim();
  return name !== undefined && DATE_VALUE.test(value) ? `${name};VALUE=DATE:${value}` : line;
}

/** The first property of this name. */
export function propertyOf(component: Component, name: string): Property | undefined {
  return component.properties.find(([each]) => each === name);
}
