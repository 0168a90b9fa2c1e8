import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openCredentialDirectory } from '../../../core/directory/credentials.ts';
import { SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';
import { MAIL, PREFIX, smtp } from '../../support/process/smtp-front.ts';

const LIMIT = 5;

describe('SMTP: unknown recipients of an address', () => {
  const front = smtp({
    env: {
      SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE: String(LIMIT),
      SMTP_MAX_UNKNOWN_RCPT: '0',
      // without CATCH_ALL_CIDRS, loopback is that of a private instance
      BIND_HOST: '0.0.0.0',
    },
  });

  /** The status of each guess, one on a new connection each. */
  const guess = async (localAddress: string, count: number) => {
    const found: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const client = await SmtpClient.open(front.port, localAddress);
      const [, reply] = await client.envelope('s@client.example', `guess${at}@acme.test`);
      found.push(statusOf(reply!));
      client.drop();
    }
    return found;
  };

  it('above the limit get 421, over all its connections, and known ones stay accepted', async () => {
    // the guesses can span two windows of one minute
    const found = await guess('127.0.0.2', 2 * LIMIT + 1);
    expect(found.slice(0, LIMIT)).to.deep.equal(Array(LIMIT).fill('550 5.1.1'));
    expect(found).to.include('421 4.7.0');

    const client = await front.open('127.0.0.2');
    await client.envelope('s@client.example', 'alice@acme.test');
    expect((await client.data(MAIL)).code).to.equal(250);
    const [, foreign] = await client.envelope('s@client.example', 'a@elsewhere.test');
    expect(statusOf(foreign!)).to.equal('550 5.7.1');
    expect(await guess('127.0.0.3', 1), 'another address').to.deep.equal(['550 5.1.1']);
  });

  it('are not limited for loopback on a private instance', async () => {
    await front.restart({ BIND_HOST: '127.0.0.1', CATCH_ALL_CIDRS: '10.0.0.0/8' });
    const found = await guess('127.0.0.2', 2 * LIMIT + 1);
    expect(new Set(found)).to.deep.equal(new Set(['550 5.1.1']));
  });

  it('are not limited for a client that has logged in', async () => {
    await front.restart({ TLS_SELF_SIGNED: 'true' });
    await openCredentialDirectory(front.client, PREFIX).set({
      id: 'smc_1',
      username: 'user',
      passwordSetAt: 1,
      mailboxId: 'mbx_alice',
      address: 'alice@acme.test',
      passwordHash: createHash('sha256').update('secret').digest('hex'),
    });
    expect(await guess('127.0.0.2', 2 * LIMIT + 1)).to.include('421 4.7.0');
    const client = await front.open('127.0.0.2');
    await client.startTls();
    await client.command('EHLO client.example');
    expect((await client.login('user', 'secret')).code).to.equal(235);
    const names = Array.from({ length: 2 * LIMIT + 1 }, (_, n) => `guess${n}@acme.test`);
    const [first, ...replies] = await client.envelope('alice@acme.test', ...names);
    expect(statusOf(first!)).to.equal('250 2.1.0');
    expect(new Set(replies.map(statusOf))).to.deep.equal(new Set(['250 2.1.5'])); // caught
  });

  for (const [setting, limit] of [
    ['0', Infinity],
    ['', 200],
  ] as const) {
    it(`are limited to ${limit} a minute with the setting '${setting}'`, async () => {
      await front.restart({ SMTP_MAX_UNKNOWN_RCPT_PER_MINUTE: setting, SMTP_MAX_ERRORS: '0' });
      const client = await front.open('127.0.0.2');
      await client.command('MAIL FROM:<s@client.example>');
      // the guesses can span two windows of one minute
      let taken = 0;
      while (taken < 401) {
        const reply = await client.command(`RCPT TO:<guess${taken}@acme.test>`);
        if (reply.code === 421) break;
        expect(statusOf(reply)).to.equal('550 5.1.1');
        taken += 1;
      }
      if (limit === Infinity) expect(taken).to.equal(401);
      else expect(taken).to.be.within(limit, 2 * limit);
    });
  }
});
