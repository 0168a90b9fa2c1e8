import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openCredentialDirectory } from '../../../core/directory/credentials.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { MAIL, PREFIX, smtp } from '../../support/process/smtp-front.ts';
import { SmtpClient } from '../../support/clients/smtp-client.ts';

const MAIL_AND_RCPT = 'MAIL FROM:<s@client.example>\r\nRCPT TO:<alice@acme.test>\r\n';
const [USER, PASSWORD] = ['alice-aaaaaaaa', 'p'.repeat(32)];

describe('SMTP: a client that closes its sending side', () => {
  let smtps = 0;
  before(async () => {
    smtps = await freePort();
  });
  const front = smtp({
    env: () => ({ TLS_SELF_SIGNED: 'true', SMTPS_PORT: `${smtps}` }),
    prepare: ({ client }) =>
      openCredentialDirectory(client, PREFIX).set({
        ...{ id: 'smc_1', username: USER, passwordSetAt: 1, mailboxId: 'mbx_alice' },
        address: 'alice@acme.test',
        passwordHash: createHash('sha256').update(PASSWORD).digest('hex'),
      }),
  });

  for (const [where, client] of [
    ['without TLS', () => front.open()],
    [
      'under STARTTLS',
      async () => {
        const secure = await front.open();
        await secure.startTls();
        await secure.command('EHLO client.example');
        return secure;
      },
    ],
    [
      'on a port of implicit TLS',
      async () => {
        const secure = await SmtpClient.openTls(smtps);
        await secure.login(USER, PASSWORD);
        return secure;
      },
    ],
  ] as const) {
    it(`behind the final dot gets its 250, ${where}`, async () => {
      const sender = await client();
      await sender.envelope('s@client.example', 'alice@acme.test');
      await sender.command('DATA');
      sender.write(`${MAIL}.\r\n`);
      sender.end();
      expect(await front.mail(await sender.reply())).to.have.length(MAIL.length);
      await sender.closed();
    });

    it(`behind RCPT gets both replies, ${where}`, async () => {
      const sender = await client();
      sender.write(MAIL_AND_RCPT);
      sender.end();
      expect([(await sender.reply()).code, (await sender.reply()).code]).to.deep.equal([250, 250]);
      await sender.closed();
    });
  }

  it('before the greeting gets all replies', async () => {
    const client = await SmtpClient.connect(front.port);
    client.write('EHLO client.example\r\nNOOP\r\n');
    client.end();
    for (const code of [220, 250, 250]) expect((await client.reply()).code).to.equal(code);
    await client.closed();
  });

  it('within a mail gets no reply, and the mail is not accepted', async () => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    await client.command('DATA');
    client.write(MAIL);
    client.end();
    await client.closed();
    expect(await client.reply().catch((error: unknown) => String(error))).to.match(/unread: $/);
  });

  it('and waits for nothing is disconnected', async () => {
    const client = await front.open();
    client.end();
    await client.closed();
  });
});
