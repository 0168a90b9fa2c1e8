import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { smtp } from '../../support/process/smtp-front.ts';
import { SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';

const LIMIT = 26_214_400;
const HEADER = 'Subject: large\r\n\r\n';

/** Lines of 1,000 bytes and one shorter line; every line is dot-stuffed. */
function wireOf(bytes: number): Buffer {
  const line = `.${'x'.repeat(997)}\r\n`;
  const body = bytes - HEADER.length;
  const rest = body % line.length;
  const last = rest > 2 ? `${'y'.repeat(rest - 2)}\r\n` : '';
  const lines = `.${line}`.repeat(Math.floor(body / line.length));
  return Buffer.from(HEADER + lines + last, 'latin1');
}

describe('SMTP: limits', () => {
  const front = smtp({
    env: { SMTP_MAX_CONNECTIONS_PER_IP: '10', INGEST_MAX_QUEUED_BYTES: '100000000' },
  });

  it('announces SIZE 26214400', async () => {
    const client = await SmtpClient.connect(front.port);
    expect((await client.reply()).code).to.equal(220);
    expect((await client.command('EHLO client.example')).lines).to.include(`SIZE ${LIMIT}`);
  });

  for (const [parameters, reply] of [
    [`SIZE=${LIMIT}`, '250 2.1.0'],
    [`SIZE=${LIMIT + 1}`, '552 5.3.4'],
    ['SIZE=many', '501 5.5.4'],
    ['BODY=8BITMIME SMTPUTF8', '250 2.1.0'],
    ['BODY=BINARYMIME', '555 5.5.4'],
    ['RET=FULL', '555 5.5.4'],
  ]) {
    it(`replies to MAIL with ${parameters!} by ${reply!}`, async () => {
      const client = await front.open();
      const answer = await client.command(`MAIL FROM:<s@client.example> ${parameters!}`);
      expect(statusOf(answer)).to.equal(reply);
    });
  }

  it('rejects one byte above the limit with 552 5.3.4, and keeps the connection', async () => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    expect(statusOf(await client.data(wireOf(LIMIT + 1)))).to.equal('552 5.3.4');
    await client.envelope('s@client.example', 'alice@acme.test');
    expect((await client.data('Subject: small\r\n\r\n')).code).to.equal(250);
  });

  it('accepts a mail of exactly 26,214,400 bytes, without dot-stuffing', async () => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    const reply = await client.data(wireOf(LIMIT));
    expect(reply.code).to.equal(250);
    expect((await front.job(reply)).raw.in).to.equal('blob');
    expect(await front.mail(reply)).to.have.length(LIMIT);
  });

  it('replies 452 4.3.1 once INGEST_MAX_QUEUED_BYTES wait', async () => {
    const client = await front.open();
    await front.client.incrby('{mayfly}:raw:bytes', 100_000_000);
    await client.command('MAIL FROM:<s@client.example>');
    const rcpt = async () => statusOf(await client.command('RCPT TO:<alice@acme.test>'));
    // The process remembers for 250 ms that there was room.
    await eventually('452', async () => (await rcpt()) === '452 4.3.1');
    await front.client.decrby('{mayfly}:raw:bytes', 100_000_000);
    expect(await rcpt()).to.equal('250 2.1.5');
  });

  it('replies 421 above the connection limit, and counts closed connections as closed', async () => {
    const address = '127.0.0.2'; // without connections of other tests
    const clients = await Promise.all(Array.from({ length: 10 }, () => front.open(address)));
    const another = await SmtpClient.connect(front.port, address);
    expect((await another.reply()).code).to.equal(421);
    await another.closed();
    for (const client of clients) await client.quit();
    await front.open(address);
  });

  it('rejects a mail with more than 100 Received fields with 554 5.4.6', async () => {
    const client = await front.open();
    for (const [count, code] of [
      [100, 250],
      [101, 554],
    ] as const) {
      await client.envelope('s@client.example', 'alice@acme.test');
      const trace = 'received: from a by b\r\n\t; Mon, 1 Jan 2024 00:00:00 +0000\r\n'.repeat(count);
      expect((await client.data(`${trace}\r\nReceived: in the body\r\n`)).code).to.equal(code);
    }
  });

  for (const [what, header, code] of [
    ['10,000 lines', 'X: y\r\n'.repeat(9_999), 250],
    ['10,001 lines', 'X: y\r\n'.repeat(10_000), 552],
    ['1 MiB', `X: ${'y'.repeat(1_048_576 - 7)}\r\n`, 250],
    ['1 MiB and one byte', `X: ${'y'.repeat(1_048_576 - 6)}\r\n`, 552],
    ['a line of 30 MB', `X: ${'y'.repeat(100_000_000)}\r\n`, 552],
  ] as const) {
    it(`replies to a header of ${what} with ${code}, and keeps the connection`, async () => {
      const client = await front.open();
      await client.envelope('s@client.example', 'alice@acme.test');
      expect((await client.data(`${header}\r\n`)).code).to.equal(code);
      await client.envelope('s@client.example', 'alice@acme.test');
      expect((await client.data('Subject: small\r\n\r\n')).code).to.equal(250);
    });
  }

  it('does not support INTERNALCMD', async () => {
    const client = await front.open();
    expect((await client.command('INTERNALCMD performShutdown')).code).to.equal(500);
  });
});
