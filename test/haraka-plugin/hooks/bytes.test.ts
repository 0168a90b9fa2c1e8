import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { smtp } from '../../support/process/smtp-front.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const stuffed = (mail: Buffer) => latin1(mail.toString('latin1').replace(/(^|\r\n)\./g, '$1..'));
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Mails that must reach the worker unchanged, by their difficulty. */
const MAILS: Record<string, Buffer> = {
  'plain text': latin1('Subject: hello\r\nTo: alice@acme.test\r\n\r\nhi\r\n'),
  'Latin-1 bytes in the header': latin1('Subject: caf\xe9 \xff\x80\r\n\r\nna\xefve\r\n'),
  'every byte but CR and LF': Buffer.concat([
    latin1('Subject: x\r\n\r\n'),
    Buffer.from(Array.from({ length: 256 }, (_, i) => i).filter((i) => i !== 10 && i !== 13)),
    latin1('\r\n'),
  ]),
  'lines that begin with dots': latin1('.Subject: x\r\n\r\n.\r\n..\r\n. x\r\n.\r.\r\n'),
  'a line of 100 KB': latin1(`Subject: x\r\n\r\n${'a'.repeat(100_000)}\r\nb\r\n`),
  'a line of 5 MiB': latin1(
    `Subject: x\r\n\r\n${'b'.repeat(5 * 1024 * 1024)}\r\n ${'.'.repeat(64 * 1024)}\r\n`,
  ),
  'a line of exactly the length at which Haraka splits': latin1(
    `Subject: x\r\n\r\n${'c'.repeat(64 * 1024 - 2)}\r\n d\r\n${'e'.repeat(64 * 1024 - 1)}\r\n f\r\n`,
  ),
  'lines of 998 characters, in header and body': latin1(
    `X-Long: ${'h'.repeat(990)}\r\nSubject: x\r\n\r\n${`${'b'.repeat(998)}\r\n`.repeat(3)}.${'c'.repeat(997)}\r\n`,
  ),
  'a header line of 200 KB, folded and not': latin1(
    `X-Long: ${'h'.repeat(200_000)}\r\nTo:${'\r\n <alice@acme.test>,'.repeat(5000)}\r\n\r\nz\r\n`,
  ),
  'NUL in header and body': latin1('Subject: a\0b\r\n\0: c\r\n\r\n\0\r\n.\0\r\n\0.\r\n'),
  'a bounce': latin1(
    [
      'From: MAILER-DAEMON@client.example',
      'Auto-Submitted: auto-replied',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b\r\n\r\nYour mail came back.',
      '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; client.example',
      '\r\nFinal-Recipient: rfc822; x@client.example\r\nAction: failed\r\nStatus: 5.1.1',
      '--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\ny',
      '--b--',
      '',
    ].join('\r\n'),
  ),
  '2,000 header lines and an Authentication-Results field': latin1(
    `${'X-Field: y\r\n'.repeat(2000)}Authentication-Results: forged\r\nSubject: last\r\n\r\nz\r\n`,
  ),
  'a large body with dots and empty lines': latin1(
    `Subject: x\r\n\r\n${'line\r\n\r\n.dot\r\n..\r\n'.repeat(20_000)}`,
  ),
  'no empty line after the header': latin1('Subject: x\r\nno header line\r\n.dot\r\n'),
  'a body only': latin1('just text, and nothing that is a header\r\n\r\nmore\r\n'),
  'a bare CR in header and body': latin1('Subject: a\rb\r\n\r\nc\rd\r\n'),
  nothing: Buffer.alloc(0),
};

describe('SMTP: bytes', () => {
  const front = smtp();

  for (const [what, mail] of Object.entries(MAILS)) {
    it(`keeps ${what}`, async () => {
      const sender = what === 'a bounce' ? '' : 's@client.example';
      const kept = await front.mail(await front.send(mail, ['alice@acme.test'], sender));
      expect(kept.length).to.equal(mail.length);
      expect(digest(kept)).to.equal(digest(mail));
    });
  }

  it('keeps a mail that arrives in small pieces', async () => {
    const mail = latin1(`Subject: pieces\r\n\r\n${'.line\r\n'.repeat(300)}`);
    const client = await front.open();
    await client.envelope('sender@client.example', 'alice@acme.test');
    await client.command('DATA');
    const wire = Buffer.concat([stuffed(mail), latin1('.\r\n')]);
    for (let i = 0; i < wire.length; i += 7) client.write(wire.subarray(i, i + 7));
    expect(digest(await front.mail(await client.reply()))).to.equal(digest(mail));
  });

  it('accepts pipelined commands and several mails on one connection', async () => {
    const client = await front.open();
    const envelope = 'MAIL FROM:<s@client.example>\r\nRCPT TO:<alice@acme.test>\r\n';
    for (const text of ['one', 'two']) {
      client.write(`${envelope}RCPT TO:<nobody@acme.test>\r\nRCPT TO:<bob@acme.test>\r\nDATA\r\n`);
      const codes: number[] = [];
      for (let i = 0; i < 5; i += 1) codes.push((await client.reply()).code);
      expect(codes).to.deep.equal([250, 250, 550, 250, 354]);
      client.write(`Subject: ${text}\r\n\r\n${text}\r\n.\r\n`);
      const kept = await front.mail(await client.reply());
      expect(kept.toString()).to.equal(`Subject: ${text}\r\n\r\n${text}\r\n`);
    }
  });

  it('adds one Received field with the host name of the server and without the recipients', async () => {
    const { ingestId } = await front.job(await front.send());
    const raw = await front.client.get(`{mayfly}:raw:${ingestId}`);
    expect(raw).to.match(
      /^Received: from client\.example \(\[127\.0\.0\.1\]\)\r\n\tby mayfly\.localhost /,
    );
    expect(raw).not.to.contain('alice');
  });
});
