import { expect } from 'chai';
import { service } from '../../support/service.ts';

const report = (type: string, content: string, header = '') => [
  'From: MAILER-DAEMON <mailer@else.test>',
  'Subject: report',
  'Content-Type: multipart/report; report-type=x;\r\n boundary=r',
  '',
  '--r',
  'Content-Type: text/plain',
  '',
  'explanation',
  '--r',
  `Content-Type: ${type}`,
  ...(header === '' ? [] : [header]),
  '',
  content,
  '--r',
  'Content-Type: message/rfc822',
  '',
  'Subject: original',
  '',
  'x',
  '--r--',
  '',
];
const calendar = (...event: string[]) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'METHOD:REQUEST', 'BEGIN:VEVENT', 'UID:1'],
    ...event,
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');

describe('reports and events of a message', () => {
  const test = service({ mailboxes: ['box'] });
  const whole = async (mail: Parameters<typeof test.receive>[1]) => {
    const id = await test.receive('box', mail);
    const { body } = await test.api.get(`/api/mailboxes/box/messages/${id}`).expect(200);
    return body as { report: unknown; event: unknown };
  };
  const reportOf = async (...mail: Parameters<typeof report>) =>
    (await whole(report(...mail).join('\r\n'))).report;
  const eventOf = async (...event: string[]) => {
    const part = `Content-Type: text/calendar; method=REQUEST; charset=utf-8\n\n${calendar(...event)}`;
    return (await whole({ text: 'x', parts: [part.replaceAll('\r\n', '\n')] })).event;
  };

  const DSN = [
    'Reporting-MTA: dns; mx.else.test',
    '',
    'Original-Recipient: rfc822;old@gone.test',
    'Final-Recipient: rfc822; <ann@gone.test>',
    'Action: failed (permanently)',
    'Status: 5.1.1 (no such user)',
    'Diagnostic-Code: smtp; 550 5.1.1',
    ' No such user',
    '',
    'Final-Recipient: rfc822; bo@gone.test',
    'Action: Delayed',
    'Status: 4.4.1',
    '',
  ].join('\r\n');
  const BOUNCE = {
    kind: 'bounce',
    recipients: [
      {
        ...{ address: 'ann@gone.test', action: 'failed', status: '5.1.1' },
        diagnostic: '550 5.1.1 No such user',
      },
      { address: 'bo@gone.test', action: 'delayed', status: '4.4.1', diagnostic: null },
    ],
  };

  it('tell the recipients of a delivery report, in each encoding', async () => {
    expect(await reportOf('message/delivery-status', DSN)).to.deep.equal(BOUNCE);
    const base64 = Buffer.from(DSN).toString('base64');
    const encoded = 'Content-Transfer-Encoding: base64';
    const global = await reportOf('message/global-delivery-status', base64, encoded);
    expect(global).to.deep.equal(BOUNCE);
  });

  it('tell a report outside multipart/report, and two recipients without an empty line', async () => {
    const status = [
      'Reporting-MTA: dns; mx.else.test',
      'Final-Recipient: utf-8; J\\x{F6}rg@gone.test',
      'Action: failed',
      'Status: 5.1.1',
      'Final-Recipient: rfc822; bo@gone.test',
      'Action: failed',
      'Status: 5.2.2',
    ].join('\r\n');
    const said = { action: 'failed', diagnostic: null };
    const expected = {
      kind: 'bounce',
      recipients: [
        { address: 'Jörg@gone.test', status: '5.1.1', ...said },
        { address: 'bo@gone.test', status: '5.2.2', ...said },
      ],
    };
    const part = `Content-Type: message/delivery-status\n\n${status.replaceAll('\r\n', '\n')}\n`;
    expect((await whole({ text: 'x', parts: [part] })).report, 'mixed').to.deep.equal(expected);
    const root = `Subject: s\r\nContent-Type: message/delivery-status\r\n\r\n${status}\r\n`;
    expect((await whole(root)).report, 'root').to.deep.equal(expected);
  });

  it('tell the disposition of a receipt', async () => {
    const mdn = [
      'Reporting-UA: x',
      'Final-Recipient: rfc822;ann@else.test',
      'Disposition: manual-action/MDN-sent-manually; displayed/error',
      'Error: none left',
    ].join('\r\n');
    for (const type of [
      'message/disposition-notification',
      'message/global-disposition-notification',
    ])
      expect(await reportOf(type, mdn), type).to.deep.equal({
        kind: 'receipt',
        recipients: [
          {
            ...{ address: 'ann@else.test', action: 'displayed', status: null },
            diagnostic: 'none left',
          },
        ],
      });
  });

  it('tell the type of a complaint', async () => {
    const arf =
      'Feedback-Type: abuse\r\nVersion: 1\r\nOriginal-Rcpt-To: <a@x.test>\r\nOriginal-Rcpt-To: b@x.test';
    const said = { action: 'abuse', status: null, diagnostic: null };
    expect(await reportOf('message/feedback-report', arf)).to.deep.equal({
      kind: 'feedback',
      recipients: [
        { address: 'a@x.test', ...said },
        { address: 'b@x.test', ...said },
      ],
    });
    expect(await reportOf('message/feedback-report', 'Feedback-Type: abuse')).to.deep.equal({
      kind: 'feedback',
      recipients: [{ address: null, ...said }],
    });
  });

  it('are bounded, and null in other mail', async () => {
    const many = `Reporting-MTA: x\r\n\r\n${'Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\n\r\n'.repeat(500)}`;
    expect(await reportOf('message/delivery-status', many))
      .to.have.property('recipients')
      .with.length(100);
    const long = `Final-Recipient: rfc822; a@b.test\r\nDiagnostic-Code: smtp; ${'x'.repeat(5000)}`;
    expect(await reportOf('message/delivery-status', long))
      .to.have.nested.property('recipients[0].diagnostic')
      .with.length(998);
    expect(await whole({ text: 'x' })).to.include({ report: null, event: null });
    expect(await reportOf('text/plain', DSN)).to.equal(null);
  });

  it('tell the event of an invitation', async () => {
    const event = await eventOf(
      'SUMMARY:Fitting\\, round',
      ' \\;two',
      'DTSTART;TZID=Europe/Berlin:20260704T140000',
      'DTEND;TZID=Europe/Berlin:20260704T153000',
      'ORGANIZER;CN="Ann, Tailor":mailto:ann@else.test',
    );
    expect(event).to.deep.equal({
      method: 'REQUEST',
      summary: 'Fitting, round;two',
      start: '2026-07-04T12:00:00.000Z',
      end: '2026-07-04T13:30:00.000Z',
      organizer: { address: 'ann@else.test', name: 'Ann, Tailor' },
    });
  });

  it('tell the times of an event in each form', async () => {
    const times = async (...lines: string[]) => {
      const { start, end } = (await eventOf(...lines)) as { start: string; end: string };
      return [start, end];
    };
    expect(await times('DTSTART:20260304T140000Z', 'DURATION:PT1H')).to.deep.equal([
      '2026-03-04T14:00:00.000Z',
      '2026-03-04T15:00:00.000Z',
    ]);
    expect(await times('DTSTART;VALUE=DATE:20260304', 'DTEND;VALUE=DATE:20260306')).to.deep.equal([
      '2026-03-04',
      '2026-03-06',
    ]);
    const floating = ['2026-03-04T14:00:00', '2026-03-04T14:30:00'];
    expect(await times('DTSTART:20260304T140000', 'DURATION:PT30M')).to.deep.equal(floating);
    expect(
      await times('DTSTART;TZID=My Zone:20260304T140000', 'DTEND;TZID=My Zone:20260304T143000'),
    ).to.deep.equal(floating);
    // 02:30 does not exist on this day.
    expect((await times('DTSTART;TZID=Europe/Berlin:20260329T013000'))[0]).to.equal(
      '2026-03-29T00:30:00.000Z',
    );
  });

  it('have no event of a calendar that is broken or too long', async () => {
    const broken = 'Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nbroken\n';
    expect((await whole({ text: 'x', parts: [broken] })).event).to.equal(null);
    expect(await eventOf(`SUMMARY:${'x'.repeat(70_000)}`)).to.equal(null);
    const hostile = Array.from({ length: 2000 }, (_, n) => `X-${n};a=b:${'\\,'.repeat(5)}`);
    const began = process.cpuUsage();
    expect(await eventOf(...hostile)).to.have.property('summary', null);
    expect(process.cpuUsage(began).user / 1000).to.be.below(2000);
  });
});
