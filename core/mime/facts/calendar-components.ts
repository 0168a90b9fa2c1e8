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

/** Others, such as attendees and alarms, are not parsed. */
const READ =
  /^(?:method|summary|dtstart|dtend|duration|organizer|tzid|tzoffsetfrom|tzoffsetto|rrule|rdate)[;:]/i;
const BOUND = /^(begin|end):\s*([\w-]+)/i;
/** A calendar, its zone, and a part of the zone are three levels; deeper ones have no meaning. */
const MAX_DEPTH = 4;

/** The outermost components. */
export function readComponents(text: string, { parse }: typeof ical): Component[] {
  const root: Component = { name: '', properties: [], components: [] };
  const open = [root];
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/[\r\n]+/)) {
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

/** Null if the line is malformed. */
function propertyIn(line: string, parse: typeof ical.parse): Property | null {
  try {
    return parse.property(line) as Property;
  } catch {
    return null;
  }
}

/** The first property of this name. */
export function propertyOf(component: Component, name: string): Property | undefined {
  return component.properties.find(([each]) => each === name);
}
