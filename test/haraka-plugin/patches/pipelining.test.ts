import { expect } from 'chai';
import { MAIL, smtp } from '../../support/process/smtp-front.ts';
import type { SmtpClient } from '../../support/clients/smtp-client.ts';

const ENVELOPE = 'MAIL FROM:<s@client.example>\r\nRCPT TO:<alice@acme.test>\r\nDATA\r\n';

/** RFC 2920: a client sends the commands behind a mail along with its final dot. */
describe('SMTP: input behind the final dot', () => {
  const front = smtp({ env: { SMTP_MAX_ERRORS: '0', SMTP_MAX_RCPT: '0' } });

  /** A client that has sent DATA and may send the mail. */
  const inData = async () => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    await client.command('DATA');
    return client;
  };

  const codes = async (client: SmtpClient, count: number) => {
    const found: number[] = [];
    for (let at = 0; at < count; at += 1) found.push((await client.reply()).code);
    return found;
  };

  it('is QUIT: the mail is accepted and the connection closed', async () => {
    const client = await inData();
    client.write(`${MAIL}.\r\nQUIT\r\n`);
    await front.job(await client.reply());
    expect((await client.reply()).code).to.equal(221);
    await client.closed();
  });

  it('is a second mail: both are accepted', async () => {
    const client = await inData();
    client.write(`${MAIL}.\r\n${ENVELOPE}`);
    const first = await front.job(await client.reply());
    expect(await codes(client, 3)).to.deep.equal([250, 250, 354]);
    client.write(`${MAIL}.\r\nQUIT\r\n`);
    const second = await front.job(await client.reply());
    expect(second.ingestId).not.to.equal(first.ingestId);
    expect((await client.reply()).code).to.equal(221);
  });

  it('is a recipient list of 40 KB: each is answered in order', async () => {
    const client = await inData();
    const recipients = 'RCPT TO:<alice@acme.test>\r\nRCPT TO:<alice@acme.test> X\r\n'.repeat(700);
    client.write(`${MAIL}.\r\nMAIL FROM:<s@client.example>\r\n${recipients}`);
    expect(await codes(client, 2)).to.deep.equal([250, 250]);
    for (let at = 0; at < 700; at += 1) expect(await codes(client, 2)).to.deep.equal([250, 555]);
  });

  it('is answered after a refusal of the mail too', async () => {
    const client = await inData();
    client.write(`${'Received: x\r\n'.repeat(101)}\r\n.\r\nNOOP\r\n${ENVELOPE}`);
    expect(await codes(client, 5)).to.deep.equal([554, 250, 250, 250, 354]);
  });

  it('is discarded with a line that is too long', async () => {
    const client = await inData();
    client.write(`${MAIL}.\r\n${'x'.repeat(100_000)}\r\nNOOP\r\n`);
    expect(await codes(client, 2)).to.deep.equal([250, 521]);
    await client.closed();
  });
});
