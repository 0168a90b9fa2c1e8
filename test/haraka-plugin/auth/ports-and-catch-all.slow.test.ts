import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { openCredentialDirectory } from '../../../core/directory/credentials.ts';
import { openRecipientDirectory } from '../../../core/directory/recipients.ts';
import { selfSign } from '../../support/servers/certificates.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';
import { type TempDir, makeTempDir } from '../../support/context/temp-dir.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { PREFIX, smtp } from '../../support/process/smtp-front.ts';

const [user, pass] = ['alice-aaaaaaaa', 'p'.repeat(32)];
const PLAIN = `AUTH PLAIN ${Buffer.from(`\0${user}\0${pass}`).toString('base64')}`;
const anyone = (name = 'app') => `AUTH PLAIN ${Buffer.from(`\0${name}\0x`).toString('base64')}`;

/** Settings of a private instance, in place of those of the suite. */
const PRIVATE = { BIND_HOST: '127.0.0.1', CATCH_ALL_MAILBOX: '', CATCH_ALL_CIDRS: '' };

const credential = (passwordHash: string) => ({
  ...{ id: 'smc_1', username: user, passwordSetAt: 1, mailboxId: 'mbx_alice' },
  address: 'alice@acme.test',
  passwordHash,
});

describe('SMTP: submission and TLS', () => {
  let dir: TempDir;
  let [submission, smtps] = [0, 0];

  const subject = async (port = smtps) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };

  before(async () => {
    dir = await makeTempDir();
    [submission, smtps] = [await freePort(), await freePort()];
  });
  const front = smtp({
    env: () => ({
      BIND_HOST: '0.0.0.0',
      SMTP_SUBMISSION_PORT: `${submission}`,
      SMTPS_PORT: `${smtps}`,
      ...selfSign(dir.path, 'one.test'),
    }),
    prepare: ({ client }) =>
      openCredentialDirectory(client, PREFIX).set(
        credential(createHash('sha256').update(pass).digest('hex')),
      ),
  });
  after(() => dir.remove());

  it('the submission port accepts mail only after STARTTLS and AUTH', async () => {
    const client = await SmtpClient.open(submission);
    const reply = async (line: string) => {
      const { code, text } = await client.command(line);
      return `${code} ${text}`;
    };
    expect(await reply('MAIL FROM:<s@client.example>')).to.match(/^530 5\.7\.0/);
    expect(await reply(PLAIN)).to.match(/^538 5\.7\.11/);
    await client.startTls();
    const { lines } = await client.command('EHLO client.example');
    expect(lines).to.include('AUTH PLAIN LOGIN');
    expect(await reply('MAIL FROM:<s@client.example>')).to.match(/^530 5\.7\.0/);
    expect(await reply(PLAIN)).to.match(/^235/);
    await client.envelope('s@client.example', 'c@gmail.com');
    const accepted = await client.data('Subject: x\r\n\r\ny\r\n');
    expect((await front.job(accepted)).messages[0]).to.include({ mailboxId: 'mbx_alice' });
    await client.quit();
  });

  it('SMTP_PORT does not require AUTH', async () => {
    const client = await front.open();
    const replies = await client.envelope('s@client.example', 'bob@acme.test', 'c@gmail.com');
    expect(replies.map(({ code }) => code)).to.eql([250, 250, 550]);
  });

  for (const [what, options] of [
    ['STARTTLS', () => ({ port: front.port, requireTLS: true })],
    ['the submission port', () => ({ port: submission, requireTLS: true })],
    ['implicit TLS', () => ({ port: smtps, secure: true })],
  ] as const) {
    it(`mail of Nodemailer is caught over ${what}`, async () => {
      const transport = createTransport({
        host: '127.0.0.1',
        ...options(),
        auth: { user, pass },
        tls: { rejectUnauthorized: false },
      });
      const { response } = await transport.sendMail({
        from: 'app@client.example',
        to: 'customer@gmail.com',
        bcc: 'hidden@yahoo.com',
        text: 'x',
      });
      const { messages } = await front.job({ code: 250, text: response, lines: [response] });
      expect(messages.map(({ envelopeTo }) => envelopeTo)).to.eql([
        ['customer@gmail.com', 'hidden@yahoo.com'],
      ]);
      transport.close();
    });
  }

  it('a renewed certificate is used without a restart, the previous one until then', async () => {
    expect(await subject()).to.equal('one.test');
    selfSign(dir.path, 'two.test');
    await eventually('the new certificate', async () => (await subject()) === 'two.test');
    const client = await front.open();
    await client.startTls();
    expect((await client.command('EHLO client.example')).code).to.equal(250);
  });
});

describe('SMTP: the catch-all mailbox', () => {
  const front = smtp({
    env: {
      ...{ SMTP_MAX_ERRORS: '0', BIND_HOST: '0.0.0.0' },
      ...{ CATCH_ALL_MAILBOX: 'bob@acme.test', CATCH_ALL_CIDRS: '127.0.0.1/32' },
    },
    prepare: async ({ client }) => {
      const directory = openRecipientDirectory(client, PREFIX);
      await directory.addDomain('other.test');
      await directory.add({ address: 'eve@other.test', mailboxId: 'mbx_eve' });
      await directory.add({ address: 'gone@acme.test', mailboxId: 'mbx_gone' });
      await directory.remove({ address: 'gone@acme.test', mailboxId: 'mbx_gone' });
      const over = { address: 'over@acme.test', mailboxId: 'mbx_over', expiresAt: Date.now() - 1 };
      await directory.add(over);
    },
  });

  const rcpt = async (to: string, login?: string, localAddress?: string) => {
    const client = await front.open(localAddress);
    if (login) expect((await client.command(login)).code).to.equal(235);
    await client.command('MAIL FROM:<s@client.example>');
    const reply = await client.command(`RCPT TO:<${to}>`);
    if (reply.code !== 250) return statusOf(reply);
    const { messages } = await front.job(await client.data('A: b\r\n\r\n'));
    return messages.map(
      ({ mailboxId, envelopeTo }) => `${mailboxId} ${envelopeTo?.join() ?? ''}`,
    )[0];
  };

  it('receives only mail that would be rejected, from clients in CATCH_ALL_CIDRS', async () => {
    expect(await rcpt('c@gmail.com')).to.equal('mbx_bob c@gmail.com');
    expect(await rcpt('none@acme.test')).to.equal('mbx_bob none@acme.test');
    expect(await rcpt('alice@acme.test')).to.equal('mbx_alice ');
    expect(await rcpt('eve@other.test')).to.equal('mbx_eve ');
    expect(await rcpt('none@other.test')).to.equal('550 5.1.1');
    expect(await rcpt('gone@acme.test')).to.equal('550 5.1.1');
    expect(await rcpt('over@acme.test')).to.equal('550 5.1.1');
    expect(await rcpt('c@gmail.com', undefined, '127.0.0.2')).to.equal('550 5.7.1');
  });

  it('requires both variables outside of a private instance', async () => {
    await front.restart({ CATCH_ALL_CIDRS: '' });
    expect(await rcpt('c@gmail.com')).to.equal('550 5.7.1');
  });

  it('is on for loopback clients of a private instance, with any unknown user name', async () => {
    await front.restart({ ...PRIVATE, MAIL_DOMAIN: 'acme.test', TLS_SELF_SIGNED: 'true' });
    expect(await rcpt('c@gmail.com')).to.equal('550 5.7.1'); // inbox@ does not exist yet
    const directory = openRecipientDirectory(front.client, PREFIX);
    await directory.add({ address: 'inbox@acme.test', mailboxId: 'mbx_inbox' });
    expect(await rcpt('c@gmail.com')).to.equal('mbx_inbox c@gmail.com');
    expect(await rcpt('c@gmail.com', anyone())).to.equal('mbx_inbox c@gmail.com');
    expect(await rcpt('eve@other.test', anyone())).to.equal('mbx_eve ');
    await openCredentialDirectory(front.client, PREFIX).set(credential('ab'));
    const client = await front.open();
    expect((await client.command(anyone(user))).code).to.equal(535);
  });

  it('takes an empty password of an unknown user name, and of no other', async () => {
    const b64 = (text: string) => Buffer.from(text).toString('base64');
    for (const [lines, code] of [
      [[`AUTH PLAIN ${b64('\0app\0')}`], 235],
      [['AUTH PLAIN', b64('app\0app\0')], 235],
      [['AUTH LOGIN', b64('app'), ''], 235],
      [[`AUTH LOGIN ${b64('app')}`, ''], 235],
      [[`AUTH PLAIN ${b64(`\0${user}\0`)}`], 535],
      [['AUTH LOGIN', b64(user), ''], 535],
      [[`AUTH PLAIN ${b64('\0\0')}`], 535],
    ] as const) {
      const client = await front.open();
      let last = 0;
      for (const line of lines) last = (await client.command(line)).code;
      expect(last, lines.join(' ')).to.equal(code);
    }
  });

  it('TLS_SELF_SIGNED offers STARTTLS with a certificate for this machine', async () => {
    const client = await front.open();
    await client.startTls();
    expect((await client.command('EHLO client.example')).lines).to.include('AUTH PLAIN LOGIN');
    const cert = readFileSync(join(front.dataDir, 'tls', 'cert.pem'), 'utf8');
    const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: cert }).toString();
    expect(text).to.contain('IP Address:127.0.0.1').and.contain('DNS:localhost');
  });

  it('a CATCH_ALL_MAILBOX that does not exist is logged and gets 550', async () => {
    const CATCH_ALL_MAILBOX = 'none@acme.test';
    await front.restart({ ...PRIVATE, CATCH_ALL_MAILBOX, LOG_LEVEL: 'warn' });
    expect(await rcpt('c@gmail.com')).to.equal('550 5.7.1');
    expect(front.process.stdout()).to.contain('CATCH_ALL_MAILBOX does not exist');
  });
});
