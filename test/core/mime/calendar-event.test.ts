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
