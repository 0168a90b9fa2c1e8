/** A calendar file with one event (RFC 5545). */

export interface CalendarEvent {
  id: string;
  begins: Date;
  ends: Date;
  summary: string;
  place: string;
}

const LINE_BYTES = 75;

export function calendar({ id, begins, ends, summary, place }: CalendarEvent): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Mayfly//Demo//EN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${id}`,
    `DTSTAMP:${time(new Date())}`,
    `DTSTART:${time(begins)}`,
    `DTEND:${time(ends)}`,
    `SUMMARY:${escape(summary)}`,
    `LOCATION:${escape(place)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function time(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+/g, '');
}

/** RFC 5545 section 3.3.11. */
function escape(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&');
}

/** RFC 5545 section 3.1: a line has at most 75 bytes. Never splits a character. */
function fold(line: string): string {
  let folded = '';
  let bytes = 0;
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (bytes + length > LINE_BYTES) {
      folded += '\r\n ';
      bytes = 1;
    }
    folded += character;
    bytes += length;
  }
  return folded;
}
