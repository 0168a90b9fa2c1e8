import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { smtp } from '../../support/process/smtp-front.ts';
import { type SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';

describe('SMTP: slow clients', () => {
  const front = smtp({ env: { SMTP_STALL_MS: '4000' } });

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
    const status = statusOf(await answer);
    await client.closed();
    return status;
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
    expect((await front.send()).code).to.equal(250);

    expect(await slow).to.deep.equal(['421 4.4.2', '421 4.4.2']);
    // RFC 5321 section 4.5.3.2.7: a client can wait for minutes between commands.
    expect((await idle.command('NOOP')).code).to.equal(250);
  });
});
