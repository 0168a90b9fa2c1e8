import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openCredentialDirectory } from '../../../core/directory/credentials.ts';
import { openRecipientDirectory } from '../../../core/directory/recipients.ts';
import type { SmtpClient } from '../../support/clients/smtp-client.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { MAIL, PREFIX, smtp } from '../../support/process/smtp-front.ts';

const USER = 'alice-aaaaaaaa';
const PASSWORD = 'p'.repeat(32);
/** Mail of clients outside of CATCH_ALL_CIDRS is caught only with a credential. */
const NOBODY = { CATCH_ALL_CIDRS: '192.0.2.0/24' };

const b64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const plain = (user: string, password: string, identity = '') =>
  b64(`${identity}\0${user}\0${password}`);
const entry = (over: object = {}) => ({
  id: 'smc_1',
  username: USER,
  passwordSetAt: 1,
  mailboxId: 'mbx_alice',
  address: 'alice@acme.test',
  passwordHash: createHash('sha256').update(PASSWORD).digest('hex'),
  ...over,
});

describe('SMTP: AUTH', () => {
  const front = smtp({
    env: { ...NOBODY, SMTP_MAX_ERRORS: '0', LOG_LEVEL: 'debug' },
    prepare: ({ client }) => openCredentialDirectory(client, PREFIX).set(entry()),
  });
  const credentials = () => openCredentialDirectory(front.client, PREFIX);
  const says = async (client: SmtpClient, line: string) => {
    const { code, text } = await client.command(line);
    return `${code} ${text}`;
  };
  const login = (client: SmtpClient) => says(client, `AUTH PLAIN ${plain(USER, PASSWORD)}`);

  describe('on a private instance', () => {
    it('is offered with EHLO, with PLAIN and LOGIN', async () => {
      const client = await front.open();
      expect((await client.command('EHLO client.example')).lines).to.include('AUTH PLAIN LOGIN');
    });

    it('PLAIN: 235 with an initial response, and after an empty challenge', async () => {
      expect(await login(await front.open())).to.match(/^235 2\.7\.0 /);
      const client = await front.open();
      client.write('AUTH plain\r\n');
      const challenge = await client.reply();
      expect([challenge.code, challenge.text]).to.eql([334, '']);
      expect(await says(client, plain(USER, PASSWORD, USER))).to.match(/^235 2\.7\.0 /);
    });

    it('PLAIN: sends the empty challenge at the end of a pipelined group', async () => {
      const client = await front.open();
      client.write('RSET\r\nAUTH PLAIN\r\n');
      expect((await client.reply()).code).to.equal(250);
      expect((await client.reply()).code).to.equal(334);
      expect(await says(client, plain(USER, PASSWORD))).to.match(/^235 2\.7\.0 /);
    });

    it('LOGIN: 235 with and without an initial response', async () => {
      for (const first of ['AUTH LOGIN', `AUTH LOGIN ${b64(USER)}`]) {
        const client = await front.open();
        let challenge = await client.command(first);
        if (first === 'AUTH LOGIN') {
          expect(Buffer.from(challenge.text, 'base64').toString()).to.equal('Username:');
          challenge = await client.command(b64(USER));
        }
        expect(Buffer.from(challenge.text, 'base64').toString()).to.equal('Password:');
        expect(await says(client, b64(PASSWORD))).to.match(/^235 2\.7\.0 /);
      }
    });

    for (const [what, lines, reply] of [
      ['an unknown mechanism', ['AUTH CRAM-MD5'], '504 5.5.4'],
      ['no mechanism', ['AUTH'], '501 5.5.4'],
      ['too many words', ['AUTH PLAIN a b'], '501 5.5.4'],
      ['what is no base64', ['AUTH PLAIN !!!'], '501 5.5.2'],
      ['base64 without padding', ['AUTH PLAIN YQ'], '501 5.5.2'],
      ['no base64 as a response', ['AUTH LOGIN', '%'], '501 5.5.2'],
      ['no base64 as a password', ['AUTH LOGIN', b64(USER), '%'], '501 5.5.2'],
      [
        'bytes that are no UTF-8',
        [`AUTH PLAIN ${b64(Buffer.from([0, 0xff, 0, 0xff]))}`],
        '501 5.5.2',
      ],
      ['a message of another form', [`AUTH PLAIN ${b64('user')}`], '501 5.5.2'],
      ['a cancelled PLAIN', ['AUTH PLAIN', '*'], '501 5.7.0'],
      ['a cancelled LOGIN', ['AUTH LOGIN', b64(USER), '*'], '501 5.7.0'],
      ['an empty initial response of PLAIN', ['AUTH PLAIN ='], '501 5.5.2'],
      ['an empty user', [`AUTH PLAIN ${plain('', PASSWORD)}`], '535 5.7.8'],
      ['an empty password', [`AUTH PLAIN ${plain(USER, '')}`], '535 5.7.8'],
      ['an empty user of LOGIN', ['AUTH LOGIN =', b64(PASSWORD)], '535 5.7.8'],
      ['an empty password of LOGIN', ['AUTH LOGIN', b64(USER), ''], '535 5.7.8'],
      ['a wrong password', [`AUTH PLAIN ${plain(USER, 'x')}`], '535 5.7.8'],
      ['an unknown user', [`AUTH PLAIN ${plain('nobody', PASSWORD)}`], '535 5.7.8'],
      ['a name in UTF-8', [`AUTH PLAIN ${plain('jürgen', PASSWORD)}`], '535 5.7.8'],
      ['a very long name', [`AUTH PLAIN ${plain('u'.repeat(2000), PASSWORD)}`], '535 5.7.8'],
      ['another identity', [`AUTH PLAIN ${plain(USER, PASSWORD, 'bob')}`], '535 5.7.8'],
    ] as const) {
      it(`${reply} for ${what}; the connection stays open`, async () => {
        const client = await front.open();
        let last = '';
        for (const line of lines) last = await says(client, line);
        expect(last.slice(0, reply.length)).to.equal(reply);
        expect(await login(client)).to.match(/^235/);
      });
    }

    it('accepts lines of 12,288 octets and answers longer ones with 500 5.5.6', async () => {
      const client = await front.open();
      const fits = plain(USER, 'x'.repeat(9216 - USER.length - 2)); // 12,288 of base64
      expect(fits).to.have.length(12_288);
      expect(await says(client, 'AUTH PLAIN')).to.match(/^334/);
      expect(await says(client, fits)).to.match(/^535/);
      for (const length of [12_289, 70_000, 300_000]) {
        expect(await says(client, `AUTH PLAIN ${'A'.repeat(length)}`)).to.match(/^500 5\.5\.6/);
        await says(client, 'AUTH PLAIN');
        expect(await says(client, 'A'.repeat(length))).to.match(/^500 5\.5\.6/);
      }
      expect(await login(client)).to.match(/^235/);
    });

    it('answers other overlong lines with 521', async () => {
      for (const length of [2047, 20_000]) {
        const client = await front.open();
        expect(await says(client, `NOOP ${'x'.repeat(length)}`)).to.match(/^521 /);
        await client.closed();
      }
    });

    it('503: repeated, inside a mail, before EHLO, after HELO', async () => {
      const client = await front.open();
      await login(client);
      expect(await login(client)).to.match(/^503 5\.5\.1/);
      const inMail = await front.open();
      await inMail.envelope('s@client.example', 'alice@acme.test');
      expect(await login(inMail)).to.match(/^503 5\.5\.1/);
      expect((await inMail.data(MAIL)).code).to.equal(250);
      const helo = await front.open();
      await helo.command('HELO client.example');
      expect(await login(helo)).to.match(/^503/);
    });

    it('535 after 1 s for a wrong user name or password, 421 at the third failure', async () => {
      const answers: string[] = [];
      for (const user of [USER, 'nobody']) {
        const client = await front.open();
        for (let n = 0; n < 3; n += 1) {
          const began = performance.now();
          answers.push(await says(client, `AUTH PLAIN ${plain(user, 'wrong')}`));
          expect(performance.now() - began).to.be.within(950, 20_000);
        }
        await client.closed();
      }
      expect(answers.slice(0, 3)).to.eql(answers.slice(3));
      expect(answers.map((text) => text.slice(0, 9))).to.eql([
        ...['535 5.7.8', '535 5.7.8', '421 4.7.0'],
        ...['535 5.7.8', '535 5.7.8', '421 4.7.0'],
      ]);
    });

    it('counts an invalid response as a client error, and reads QUIT as a response', async () => {
      const client = await front.open();
      await says(client, 'AUTH LOGIN');
      expect(await says(client, 'QUIT')).to.match(/^334/); // base64 of three bytes that are UTF-8 or not
      expect(await says(client, '*')).to.match(/^501/);
      await client.quit();
    });
  });

  describe('with a credential', () => {
    const send = async (client: SmtpClient, ...recipients: string[]) => {
      const replies = await client.envelope('app@client.example', ...recipients);
      expect(replies.map(({ code }) => code)).to.eql(replies.map(() => 250));
      return (await front.job(await client.data(MAIL))).messages.map(
        ({ mailboxId, recipient, tag, envelopeTo }) => ({ mailboxId, recipient, tag, envelopeTo }),
      );
    };
    const loggedIn = async () => {
      const client = await front.open();
      expect(await login(client)).to.match(/^235/);
      return client;
    };

    it('catches all addresses without a mailbox in the workspace as one message', async () => {
      const to = ['Customer+x@Gmail.com', 'none@acme.test', 'x@other.test', 'customer+X@gmail.com'];
      expect(await send(await loggedIn(), ...to)).to.eql([
        { mailboxId: 'mbx_alice', recipient: to[0], tag: null, envelopeTo: to.slice(0, 3) },
      ]);
    });

    it('delivers mail for mailboxes of the workspace to them, with tags', async () => {
      const messages = await send(
        await loggedIn(),
        ...['bob+T@acme.test', 'c@gmail.com', 'alice@acme.test', 'alice+t@acme.test'],
      );
      expect(messages).to.eql([
        { mailboxId: 'mbx_bob', recipient: 'bob+T@acme.test', tag: 'T', envelopeTo: undefined },
        {
          mailboxId: 'mbx_alice',
          recipient: 'alice@acme.test',
          tag: null,
          envelopeTo: ['c@gmail.com', 'alice@acme.test'],
        },
        { mailboxId: 'mbx_alice', recipient: 'alice+t@acme.test', tag: 't', envelopeTo: undefined },
      ]);
    });

    it('catches the address of a mailbox of another workspace', async () => {
      const directory = openRecipientDirectory(front.client, PREFIX);
      await directory.addDomain('other.test');
      await directory.add({ address: 'eve@other.test', mailboxId: 'mbx_eve' });
      const [message] = await send(await loggedIn(), 'eve@other.test');
      expect(message).to.include({ mailboxId: 'mbx_alice', recipient: 'eve@other.test' });
    });

    it('accepts the AUTH parameter of MAIL', async () => {
      const client = await loggedIn();
      for (const value of ['<>', 'e+3Dmc2@example.com']) {
        expect(await says(client, `MAIL FROM:<s@client.example> AUTH=${value}`)).to.match(/^250/);
        await client.command('RSET');
      }
      expect(await says(client, 'MAIL FROM:<s@client.example> AUTH=a+b')).to.match(/^501 5\.5\.4/);
    });

    it('550 before the login, caught after it, on one connection', async () => {
      const client = await front.open();
      await client.command('MAIL FROM:<s@client.example>');
      expect(await says(client, 'RCPT TO:<c@gmail.com>')).to.match(
        /^550 5\.7\.1 .*SMTP credential/,
      );
      await client.command('RSET');
      await login(client);
      expect(await send(client, 'c@gmail.com')).to.have.length(1);
    });

    it('550 5.7.1 at MAIL after the password is replaced, or credential or mailbox deleted', async () => {
      const client = await loggedIn();
      await send(client, 'c@gmail.com');
      const refused = async () => {
        expect(await says(client, 'MAIL FROM:<s@client.example>')).to.match(/^550 5\.7\.1/);
        await client.command('RSET');
      };
      await credentials().set(entry({ passwordSetAt: 2, passwordHash: 'ab' }));
      await refused();
      await front.client.hdel(`${PREFIX}:directory:credentials`, USER);
      await credentials().set(entry());
      await send(client, 'c@gmail.com');
      const directory = openRecipientDirectory(front.client, PREFIX);
      const mailbox = { address: 'alice@acme.test', mailboxId: 'mbx_alice' };
      await directory.remove(mailbox);
      await refused();
      await front.client.hset(`${PREFIX}:directory:mailboxes`, mailbox.address, mailbox.mailboxId);
      await send(client, 'c@gmail.com');
      await credentials().remove(entry());
      await refused();
      await front.client.del(`${PREFIX}:directory:removed:smc_1`);
      await credentials().set(entry());
    });

    it('records its use at most once a minute', async () => {
      const uses = async () =>
        Number(await front.client.hget(`${PREFIX}:credential-uses`, 'smc_1'));
      const first = await uses();
      expect(first).to.be.greaterThan(0);
      await send(await loggedIn(), 'c@gmail.com');
      expect(await uses()).to.equal(first);
    });

    it('454 while Redis is unavailable or the directory incomplete, 235 afterwards', async () => {
      const client = await front.open();
      const keys = ['complete', 'credentials'].map((name) => `${PREFIX}:directory:${name}`);
      const kept = await front.client.hgetall(keys[1]!);
      await front.client.del(...keys);
      expect(await login(client)).to.match(/^454 4\.7\.0/);
      await front.client.set(keys[0]!, '1');
      await front.client.hset(keys[1]!, kept);
      await front.redis.kill();
      expect(await login(client)).to.match(/^454 4\.7\.0/);
      await front.redis.start();
      await eventually('a login', async () => (await login(client)).startsWith('235'));
    });

    it('logs no line of AUTH at debug level', () => {
      const logged = front.process.stdout() + front.process.stderr();
      expect(logged).to.contain('"level":"debug"');
      expect(logged).not.to.contain(PASSWORD).and.not.contain(plain(USER, PASSWORD));
    });
  });

  describe('with other settings', () => {
    it('is neither offered nor accepted without TLS on other instances: 538', async () => {
      await front.restart({ BIND_HOST: '0.0.0.0' });
      const client = await front.open();
      const { lines } = await client.command('EHLO client.example');
      expect(lines.filter((line) => line.startsWith('AUTH'))).to.eql([]);
      expect(await login(client)).to.match(/^538 5\.7\.11/);
      expect(await says(client, 'MAIL FROM:<s@client.example> AUTH=<>')).to.match(/^555/);
    });

    it('counts failures of one address for RATE_LIMIT_AUTH_FAILURES; valid logins succeed', async () => {
      await front.restart({ RATE_LIMIT_AUTH_FAILURES: '4' });
      const fail = async (address?: string) => {
        const client = await front.open(address);
        const reply = await says(client, `AUTH PLAIN ${plain(USER, 'x')}`);
        client.drop();
        return reply.slice(0, 3);
      };
      const replies = await Promise.all(Array.from({ length: 12 }, () => fail()));
      expect(replies.filter((code) => code === '421').length).to.be.at.least(4);
      expect(await fail('127.0.0.2')).to.equal('535');
      expect(await login(await front.open())).to.match(/^235/);
    });
  });
});
