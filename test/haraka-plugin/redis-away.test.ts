import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { type SmtpFront, startSmtpFront } from '../support/smtp-front.js';
import type { Reply, SmtpClient } from '../support/smtp-client.js';

const MAIL = 'Subject: x\r\n\r\ny\r\n';

/** Longer than one bounded Redis command, shorter than anything that waits for Redis to come back. */
const AT_ONCE_MS = 300;
const BOUNDED_MS = 5_000;

describe('SMTP: Redis away', () => {
  let front: SmtpFront;
  beforeEach(async () => (front = await startSmtpFront({ REDIS_TIMEOUT_MS: '1500' })));
  afterEach(() => front.close());

  const timed = async (answer: Promise<Reply>): Promise<[reply: string, ms: number]> => {
    const started = Date.now();
    const { code, text } = await answer;
    return [`${code} ${text.slice(0, 5)}`, Date.now() - started];
  };
  const inData = async (): Promise<SmtpClient> => {
    const client = await front.open();
    await client.envelope('s@client.example', 'alice@acme.test');
    await client.command('DATA');
    return client;
  };
  const finish = (client: SmtpClient) => {
    client.write(`${MAIL}.\r\n`);
    return timed(client.reply());
  };
  const accepts = async (client: SmtpClient) => {
    await eventually('mail to be taken again', async () => {
      await client.command('RSET');
      const [, reply] = await client.envelope('s@client.example', 'alice@acme.test');
      return reply!.code === 250;
    });
    expect((await client.data(MAIL)).code).to.equal(250);
    await client.quit();
  };

  it('answers RCPT and the final dot with 451 at once, and goes on when Redis is back', async () => {
    const client = await inData();
    const other = await front.open();
    await front.redis.kill();

    const [atDot, dotMs] = await finish(client);
    expect(atDot).to.equal('451 4.3.0');
    expect(dotMs).to.be.lessThan(AT_ONCE_MS);

    await other.command('MAIL FROM:<s@client.example>');
    const [atRcpt, rcptMs] = await timed(other.command('RCPT TO:<alice@acme.test>'));
    expect(atRcpt).to.equal('451 4.3.0');
    expect(rcptMs).to.be.lessThan(AT_ONCE_MS);

    await front.redis.start();
    await accepts(client);
    await accepts(other);
  });

  it('answers 451 within a bounded time while Redis hangs', async () => {
    const client = await inData();
    const other = await front.open();
    await other.command('MAIL FROM:<s@client.example>');
    front.redis.pause();

    const [atDot, dotMs] = await finish(client);
    const [atRcpt, rcptMs] = await timed(other.command('RCPT TO:<alice@acme.test>'));
    front.redis.resume();
    expect([atDot, atRcpt]).to.deep.equal(['451 4.3.0', '451 4.3.0']);
    expect(Math.max(dotMs, rcptMs)).to.be.lessThan(BOUNDED_MS);
    await accepts(client);
  });

  it('answers 451 when Redis is full', async () => {
    const client = await inData();
    await front.client.config('SET', 'maxmemory', '1');
    const [atDot] = await finish(client);
    expect(atDot).to.equal('451 4.3.0');
    await front.client.config('SET', 'maxmemory', '0');
    await accepts(client);
  });
});
