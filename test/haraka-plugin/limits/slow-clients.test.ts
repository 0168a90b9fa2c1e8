import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { type SmtpFront, startSmtpFront } from '../../support/process/smtp-front.ts';
import type { SmtpClient } from '../../support/clients/smtp-client.ts';

describe('SMTP: slow clients', () => {
  let front: SmtpFront;
  before(async () => (front = await startSmtpFront({ SMTP_STALL_MS: '4000' })));
  after(() => front.close());

  /** Sends one byte at a time until the server closes the connection. */
  const trickle = async (client: SmtpClient) => {
    let over = false;
    const answer = client.reply().finally(() => (over = true));
    await eventually(
      'the end of its patience',
      () => {
        if (!over) client.write('x');
        return over;
      },
      45_000,
    );
    const { code, text } = await answer;
    await client.closed();
    return `${code} ${text.slice(0, 5)}`;
  };

  it('get 421 in DATA and in a command, and do not block other clients', async () => {
    const inData = await front.open();
    await inData.envelope('s@client.example', 'alice@acme.test');
    await inData.command('DATA');
    inData.write('Subject: x\r\n\r\n');
    const inCommand = await front.open();
    inCommand.write('MAIL FROM:<');
    const idle = await front.open();

    const slow = Promise.all([trickle(inData), trickle(inCommand)]);
    const quick = await front.open();
    await quick.envelope('s@client.example', 'alice@acme.test');
    expect((await quick.data('Subject: x\r\n\r\ny\r\n')).code).to.equal(250);
    await quick.quit();

    expect(await slow).to.deep.equal(['421 4.4.2', '421 4.4.2']);
    // RFC 5321 section 4.5.3.2.7: a client can wait for minutes between commands.
    expect((await idle.command('NOOP')).code).to.equal(250);
    await idle.quit();
  });
});
