import { expect } from 'chai';
import { readDateField } from '../../../core/mime/facts/date-field.ts';

describe('Date field', () => {
  for (const [value, expected] of [
    ['Mon, 02 Mar 2026 09:15:00 +0100', '2026-03-02T08:15:00.000Z'],
    ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T15:55:06.000Z'],
    // RFC 5322 appendix A.5: comments and folding
    [
      'Thu,\r\n 13\r\n Feb\r\n 1969\r\n 23:32\r\n -0330 (Newfoundland Time)',
      '1969-02-14T03:02:00.000Z',
    ],
    // Appendix A.6.2: obsolete years and zones
    ['21 Nov 97 09:55:06 GMT', '1997-11-21T09:55:06.000Z'],
    ['Fri, 21 Nov 26 09(comment):   55  :  06 EST', '2026-11-21T14:55:06.000Z'],
    ['1 January 2026 00:00:00 Z', '2026-01-01T00:00:00.000Z'],
    ['31 Dec 2016 23:59:60 +0000', '2017-01-01T00:00:00.000Z'],
    ['Sun, 1 Feb 2026 12:00:00', '2026-02-01T12:00:00.000Z'],
    ['Sun, 1 Feb 2026 12:00:00 XYZ', '2026-02-01T12:00:00.000Z'],
    ['2026-02-01T12:00:00+02:00', '2026-02-01T10:00:00.000Z'],
    // Forms that programs write, against the RFC
    ['Sat Sep 21 08:18:08 2002', '2002-09-21T08:18:08.000Z'],
    ['Thu Mar  5 08:18:08 EST 2026', '2026-03-05T13:18:08.000Z'],
    ['Thu Nov 26 08:13:10 2026 +0100', '2026-11-26T07:13:10.000Z'],
    ['Thu Nov 26 2026 08:13:10 GMT+0100 (CET)', '2026-11-26T07:13:10.000Z'],
    ['Nov 26, 2026 7:13:10 AM', '2026-11-26T07:13:10.000Z'],
    ['Thursday, November 26, 2026 19:13:10 -0500', '2026-11-27T00:13:10.000Z'],
    ['2026-11-26 08:13:10 +0100', '2026-11-26T07:13:10.000Z'],
    ['Wed, 29 May 2002 16:54:6 +0300', '2002-05-29T13:54:06.000Z'],
    ['Sat, 8 Jun 2002 1:5:13 +0200', '2002-06-07T23:05:13.000Z'],
    ['03 Jul 01 4:12:06 PM', '2001-07-03T16:12:06.000Z'],
    ['03 Jul 01 12:47:50 AM', '2001-07-03T00:47:50.000Z'],
    ['Tue, 06 Aug 2002 06:50:21 PM -0400', '2002-08-06T22:50:21.000Z'],
    ['Fri, 23 Aug 2002 22:46:34 GMT+1', '2002-08-23T21:46:34.000Z'],
    ['Fri, 23 Aug 2002 22:46:34 UTC-05:30', '2002-08-24T04:16:34.000Z'],
    ['Sun, 26 May 2002 20:43:57 Eastern Daylight Time', '2002-05-26T20:43:57.000Z'],
    ['30 Feb 2026 12:00:00 +0000', null],
    ['1 Foo 2026 12:00:00 +0000', null],
    ['1 Feb 2026 24:00:00 +0000', null],
    ['1 Feb 2026 12:00:00 +9900', null],
    ['yesterday', null],
    ['12', null],
    ['', null],
    [`1 Feb 2026 12:00:00 +0000${' '.repeat(100_000)}x`, null],
    [`1 Feb 2026 12:00 (${'('.repeat(500)}`, '2026-02-01T12:00:00.000Z'],
  ] as const) {
    it(`reads ${JSON.stringify(value.slice(0, 60))} as ${expected}`, () => {
      expect(readDateField(value)?.toISOString() ?? null).to.equal(expected);
    });
  }
});
