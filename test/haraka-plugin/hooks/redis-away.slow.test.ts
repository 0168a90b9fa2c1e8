import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { MAIL, smtp } from '../../support/process/smtp-front.ts';
import { type Reply, type SmtpClient, statusOf } from '../../support/clients/smtp-client.ts';

/** Longer than a bounded Redis command, shorter than a wait for Redis to return. */
const LONG_TIMEOUT_MS = 20_000;
const TIMEOUT_MS = 1_500;
/** Longer than REDIS_TIMEOUT_MS. */
const STALL_MS = 2_000;
const BROKEN_MS = 10_000;
const RCPT_BOUND_MS = 15_000;
/** Haraka's timeout of hooks: see haraka-plugin/config/mayfly.timeout. */
const DOT_BOUND_MS = 30_000;

describe('SMTP: Redis unavailable', () => {
  const front = smtp({ env: { REDIS_TIMEOUT_MS: `${LONG_TIMEOUT_MS}` } });

  const timed = async (answer: Promise<Reply>): Promise<[reply: string, ms: number]> => {
    const started = Date.now();
    return [statusOf(await answer), Date.now() - started];
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

  it('replies 451 at once to RCPT and the final dot, and recovers with Redis', async () => {
    const client = await inData();
    const other = await front.open();
    await front.redis.kill();

    const [atDot, dotMs] = await finish(client);
    expect(atDot).to.equal('451 4.3.0');
    expect(dotMs).to.be.lessThan(LONG_TIMEOUT_MS / 2);

    await other.command('MAIL FROM:<s@client.example>');
    const [atRcpt, rcptMs] = await timed(other.command('RCPT TO:<alice@acme.test>'));
    expect(atRcpt).to.equal('451 4.3.0');
    expect(rcptMs).to.be.lessThan(LONG_TIMEOUT_MS / 2);

    await front.redis.start();
    await accepts(client);
    await accepts(other);
  });

  it('replies 452 if Redis is full', async () => {
    const client = await inData();
    await front.client.config('SET', 'maxmemory', '1');
    const [atDot] = await finish(client);
    expect(atDot).to.equal('452 4.3.1');
    await front.client.config('SET', 'maxmemory', '0');
    await accepts(client);
  });

  it('replies 451 within a time limit if Redis hangs, and stores nothing of that mail', async () => {
    await front.restart({ REDIS_TIMEOUT_MS: `${TIMEOUT_MS}` });
    const client = await inData();
    const other = await front.open();
    await other.command('MAIL FROM:<s@client.example>');
    front.redis.pause();

    const [[atDot, dotMs], [atRcpt, rcptMs]] = await Promise.all([
      finish(client),
      timed(other.command('RCPT TO:<bob@acme.test>')), // alice may be in memory
    ]);
    front.redis.resume();
    expect([atDot, atRcpt]).to.deep.equal(['451 4.3.0', '451 4.3.0']);
    expect(dotMs).to.be.lessThan(DOT_BOUND_MS);
    expect(rcptMs).to.be.lessThan(RCPT_BOUND_MS);
    // Both writes are executed late, before those of the next mail, and are undone.
    await accepts(client);
    await eventually('the next mail to be the only one kept', async () => {
      const jobs = await front.client.zcard(`{mayfly}:${ingestMessage.name}:prioritized`);
      return jobs === 1 && (await front.client.hlen('{mayfly}:raw:sizes')) === 1;
    });
  });

  it('waits after the final dot for a stalled Redis, and replies at once if it is gone', async () => {
    const [patient, hurt] = [await inData(), await inData()];
    front.redis.pause();
    const waits = finish(patient);
    await delay(STALL_MS);
    front.redis.resume();
    expect((await waits)[0]).to.equal('250 2.0.0');

    front.redis.pause();
    const broken = finish(hurt);
    await delay(STALL_MS);
    const killedAt = Date.now();
    await front.redis.kill();
    expect((await broken)[0]).to.equal('451 4.3.0');
    expect(Date.now() - killedAt).to.be.lessThan(BROKEN_MS);
  });
});
