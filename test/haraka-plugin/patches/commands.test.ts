import { expect } from 'chai';
import { MAIL, smtp } from '../../support/process/smtp-front.ts';
import { SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';

describe('SMTP: commands', () => {
  const front = smtp({ env: { SMTP_MAX_ERRORS: '0', SMTP_MAX_RCPT: '0' } });

  for (const line of [
    'EHLO client\0.example',
    'EHLO client\r.example',
    'EHLO cli\xeant.example',
    'MAIL FROM:<s\0@client.example>',
    'MAIL FROM:<"s\rX-Injected: y"@client.example>',
    'MAIL FROM:<"\x1b[31m"@client.example>',
    'RCPT TO:<"alice+\x7f"@acme.test>',
    'NOOP \0',
    '\0\0\0',
  ]) {
    it(`rejects ${JSON.stringify(line)} with 500, and continues`, async () => {
      const client = await front.open();
      client.write(Buffer.from(`${line}\r\n`, 'latin1'));
      expect((await client.reply()).code).to.equal(500);
      expect((await client.command('NOOP')).code).to.equal(250);
    });
  }

  it('rejects a second MAIL with 503, and continues the first', async () => {
    const client = await front.open();
    await client.envelope('first@client.example', 'alice@acme.test');
    expect((await client.command('MAIL FROM:<second@client.example>')).code).to.equal(503);
    const job = await front.job(await client.data(MAIL));
    expect(job.sender).to.equal('first@client.example');
  });

  it('accepts MAIL after a rejected one, RSET, EHLO and a completed mail', async () => {
    const client = await front.open();
    client.write('MAIL FROM:<s@client.example> SIZE=x\r\nMAIL FROM:<s@client.example>\r\n');
    expect([(await client.reply()).code, (await client.reply()).code]).to.deep.equal([501, 250]);
    for (const command of ['RSET', 'EHLO client.example']) {
      await client.command(command);
      expect((await client.command('MAIL FROM:<s@client.example>')).code).to.equal(250);
    }
    await client.command('RCPT TO:<alice@acme.test>');
    expect((await client.data(MAIL)).code).to.equal(250);
    expect((await client.command('MAIL FROM:<s@client.example>')).code).to.equal(250);
  });

  it('rejects commands out of order with 503', async () => {
    const client = await SmtpClient.connect(front.port);
    await client.reply();
    for (const command of ['MAIL FROM:<s@client.example>', 'RCPT TO:<alice@acme.test>', 'DATA']) {
      expect((await client.command(command)).code).to.equal(503);
    }
  });

  it('accepts a line of 2,048 bytes, and closes the connection on a longer one with 521', async () => {
    const client = await front.open();
    expect((await client.command(`NOOP ${'x'.repeat(2041)}`)).code).to.equal(250);
    client.write('x'.repeat(2049));
    expect((await client.reply()).code).to.equal(521);
    await client.closed();
  });

  it('replies in order to a client that does not wait for the greeting, and accepts its mail once', async () => {
    const client = await SmtpClient.connect(front.port);
    client.write(
      `EHLO client.example\r\nMAIL FROM:<s@client.example>\r\nRCPT TO:<alice@acme.test>\r\nDATA\r\n${MAIL}.\r\n`,
    );
    const replies = [];
    for (let i = 0; i < 6; i += 1) replies.push(await client.reply());
    expect(replies.map(({ code }) => code)).to.deep.equal([220, 250, 250, 250, 354, 250]);
    expect(await front.mail(replies[5]!)).to.have.length(MAIL.length);
  });

  it('replies to thousands of pipelined recipients in order', async () => {
    const client = await front.open();
    await client.command('MAIL FROM:<s@client.example>');
    // more than the read-ahead limit
    client.write('RCPT TO:<alice@acme.test>\r\nRCPT TO:<alice@acme.test> X\r\n'.repeat(1500));
    for (let i = 0; i < 1500; i += 1) {
      expect((await client.reply()).code).to.equal(250);
      expect((await client.reply()).code).to.equal(555);
    }
  });

  it('reveals nothing to VRFY, and does not implement EXPN', async () => {
    const client = await front.open();
    expect((await client.command('VRFY alice')).code).to.equal(252);
    for (const command of ['EXPN alice', 'SEND FROM:<s@client.example>', 'TURN']) {
      expect(statusOf(await client.command(command)), command).to.equal('502 5.5.1');
    }
    expect((await client.command('BDAT 10 LAST')).code).to.equal(500);
  });

  it('rejects a parameter that is given twice with 501', async () => {
    const client = await front.open();
    for (const parameters of ['SIZE=1 SIZE=2', 'SIZE=1 size=1', 'BODY=7BIT SIZE=1 BODY=8BITMIME']) {
      const reply = await client.command(`MAIL FROM:<s@client.example> ${parameters}`);
      expect(statusOf(reply), parameters).to.equal('501 5.5.4');
    }
    expect((await client.command('MAIL FROM:<s@client.example> SIZE=1')).code).to.equal(250);
  });
});
