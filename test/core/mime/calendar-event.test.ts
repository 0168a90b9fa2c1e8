import { expect } from 'chai';
import { calendar, eventOf, part } from '../../support/mail/calendars.ts';

describe('Event of a calendar', () => {
  for (const [what, parts, expected] of [
    [
      'in ISO-8859-1',
      [
        part(
          Buffer.from(calendar(['SUMMARY:Grüße']).join('\r\n'), 'latin1'),
          'text/calendar; charset=iso-8859-1',
        ),
      ],
      { summary: 'Grüße' },
    ],
    [
      'in ISO-2022-JP',
      [part(calendar(['SUMMARY:\x1b$B2q5D\x1b(B']), 'text/calendar; charset=iso-2022-jp')],
      { summary: '会議' },
    ],
    [
      'after a byte order mark',
      [part(['\ufeffBEGIN:VCALENDAR', ...calendar(['SUMMARY:x']).slice(1)])],
      { summary: 'x', method: 'REQUEST' },
    ],
    [
      'folded inside a character of two bytes',
      [part(folded('SUMMARY:Grüße', 11))],
      { summary: 'Grüße' },
    ],
    [
      'folded inside a character of three bytes',
      [part(folded('SUMMARY:会議', 9))],
      { summary: '会議' },
    ],
    [
      'folded inside a character of four bytes, in a quoted-printable part',
      [
        part(
          [
            ...calendar(['SUMMARY:=F0=9F=\n =8E=89'])
              .join('\r\n')
              .replaceAll('=\n', '=0D=0A')
              .split('\r\n'),
          ],
          'text/calendar\r\nContent-Transfer-Encoding: quoted-printable',
        ),
      ],
      { summary: '🎉' },
    ],
    [
      'folded with a tab inside a character, in Shift_JIS',
      [
        part(
          folded('SUMMARY:\x89\xef\x8bc', 9, '\t', 'latin1'),
          'text/calendar; charset=shift_jis',
        ),
      ],
      { summary: '会議' },
    ],
    [
      'in UTF-16, with a character that has the bytes of a fold',
      [
        part(
          Buffer.from(calendar(['SUMMARY:a\u200ab']).join('\r\n'), 'utf16le'),
          'text/calendar; charset=utf-16le',
        ),
      ],
      { summary: 'a\u200ab' },
    ],
    [
      'with whole days without a type',
      [part(calendar(['DTSTART:20260901', 'DTEND:20260903']))],
      { start: '2026-09-01', end: '2026-09-03' },
    ],
    [
      'with whole days of a zone',
      [part(calendar(['DTSTART;TZID="Europe/Berlin":20260901', 'DURATION:P2D']))],
      { start: '2026-09-01', end: '2026-09-03' },
    ],
    [
      'with whole days that are called times',
      [part(calendar(['dtstart;VALUE=DATE-TIME:20260901 ']))],
      { start: '2026-09-01', end: null },
    ],
    [
      'without a start that is no date',
      [part(calendar(['SUMMARY:x', 'DTSTART:20261399']))],
      { summary: 'x', start: null },
    ],
    [
      'of the second calendar of a file',
      [
        part([
          ...['BEGIN:VCALENDAR', 'METHOD:PUBLISH', 'END:VCALENDAR'],
          ...calendar(['SUMMARY:x']),
        ]),
      ],
      { summary: 'x', method: 'REQUEST' },
    ],
    [
      'of the second file',
      [part(['BEGIN:VCALENDAR', 'broken']), part(calendar(['SUMMARY:x']))],
      { summary: 'x' },
    ],
    [
      'beside a file that is too large',
      [part(calendar([`X-A:${'x'.repeat(70_000)}`])), part(calendar(['SUMMARY:x']))],
      { summary: 'x' },
    ],
    [
      'beside lines that are broken',
      [
        part(
          calendar([
            'SUMMARY:x',
            'ATTENDEE;CN="x',
            'no colon',
            'DTEND;TZID="x',
            'DTSTART;VALUE=DATE:20261224',
          ]),
        ),
      ],
      { summary: 'x', start: '2026-12-24', end: null },
    ],
    ['of a file without its end', [part(calendar(['SUMMARY:x']).slice(0, -2))], { summary: 'x' }],
    [
      'of a file named .ics',
      [part(calendar(['SUMMARY:x']), 'application/octet-stream; name=Invite.ICS')],
      { summary: 'x' },
    ],
    [
      'with the method of the part',
      [part(calendar(['SUMMARY:x'], []), 'text/calendar; method=cancel')],
      { summary: 'x', method: 'CANCEL' },
    ],
    [
      'with the method of the calendar',
      [part(calendar(['SUMMARY:x']), 'text/calendar; method=cancel')],
      { method: 'REQUEST' },
    ],
    [
      'with an encoded organizer',
      [part(calendar(['ORGANIZER;CN=Ann:mailto:ann%2Bx@else.test?subject=x']))],
      { organizer: { address: 'ann+x@else.test', name: 'Ann' } },
    ],
    [
      'with an organizer that is no URI',
      [part(calendar(['ORGANIZER:ann%zz@else.test']))],
      { organizer: { address: 'ann%zz@else.test', name: null } },
    ],
    [
      'with days across a change of the clock',
      [part(calendar(['DTSTART;TZID=Europe/Berlin:20260328T120000', 'DURATION:P1DT1H']))],
      { start: '2026-03-28T11:00:00.000Z', end: '2026-03-29T11:00:00.000Z' },
    ],
  ] as const) {
    it(`is read ${what}`, async () => {
      expect(await eventOf(...parts)).to.deep.include(expected);
    });
  }
});

/** A calendar with a line that is folded in front of the byte at this place (RFC 5545, 3.1). */
function folded(line: string, at: number, blank = ' ', encoding: BufferEncoding = 'utf8'): Buffer {
  const bytes = Buffer.from(line, encoding);
  const [start, end] = calendar(['\0']).join('\r\n').split('\0') as [string, string];
  return Buffer.concat([
    ...[Buffer.from(start), bytes.subarray(0, at), Buffer.from(`\r\n${blank}`)],
    ...[bytes.subarray(at), Buffer.from(end)],
  ]);
}
