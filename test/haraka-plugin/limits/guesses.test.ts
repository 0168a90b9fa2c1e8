import { expect } from 'chai';
import { SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';
import { MAIL, smtp } from '../../support/process/smtp-front.ts';

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
});
