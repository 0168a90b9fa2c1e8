import { expect } from 'chai';
import { newId } from '../../../core/ids.ts';
import { firstJobId } from '../../../core/intake/accepted-mail.ts';
import { ingestJob } from '../../../core/intake/ingest-job.ts';
import { openQueues } from '../../../core/queue/queues.ts';
import { acceptTogether, openTestIntake } from '../../support/context/accept-together.ts';
import { openLog } from '../../../core/log.ts';
import { openMailSpool } from '../../../core/intake/spool.ts';
import { type RedisClient, closeRedis, openRedis } from '../../../core/redis/client.ts';
import { service } from '../../support/service.ts';
import { type LossyProxy, openLossyProxy } from '../../support/servers/lossy-proxy.ts';

/**
 * ioredis repeats commands without a reply on its next connection
 * (`autoResendUnfulfilledCommands`).
 */
describe('a Redis reply lost with its connection', () => {
  afterEach(async () => {
    await closeRedis(client);
    await proxy.close();
  });
  const test = service();
  let proxy: LossyProxy;
  let client: RedisClient;

  beforeEach(async () => {
    proxy = await openLossyProxy(test.redis.socket);
    const address = { ...test.config, redis: `redis://127.0.0.1:${proxy.port}` };
    client = await openRedis(address, openLog(test.config));
  });

  it('does not count the bytes of an accepted mail twice', async () => {
    const { redisPrefix } = test.config;
    const mailSpool = openMailSpool(client, redisPrefix, test.context.blobs, Infinity);
    const put = (ingestId: string, size: number) =>
      mailSpool.put([{ ingestId, chunks: [Buffer.alloc(size)], size }]);
    await put(newId('ingest'), 10); // loads the script, so that the next call is one command

    const id = newId('ingest');
    const lost = proxy.loseReplyTo(id);
    await put(id, 1000);
    await lost;
    expect((await mailSpool.totals()).waiting).to.deep.equal({ mails: 2, bytes: 1010 });
    await mailSpool.ack([{ ingestId: id }]);
    expect((await mailSpool.totals()).waiting).to.deep.equal({ mails: 1, bytes: 10 });
  });

  it('stores mails that share a job once', async () => {
    const queues = openQueues(client, test.config.redisPrefix, openLog(test.config));
    const { redisPrefix } = test.config;
    const mailSpool = openMailSpool(client, redisPrefix, test.context.blobs, Infinity);
    const intake = openTestIntake(test.context, { redis: client, mailSpool, queues });
    const raws = ['Subject: 1\r\n\r\nx', 'Subject: 2\r\n\r\nlost', 'Subject: 3\r\n\r\nx'];
    await acceptTogether(intake, 'mbx_box', raws); // loads the scripts
    const lost = proxy.loseReplyTo('Subject: 2\r\n\r\nlost');
    const ids = await acceptTogether(intake, 'mbx_box', raws);
    await lost;
    const queue = await test.context.queues.open(ingestJob);
    const jobs = await queue.getJobs(['prioritized'], 0, -1, true);
    expect(jobs.map(({ id }) => id).slice(2)).to.include(firstJobId(ids[0]!));
    expect(jobs).to.have.length(4);
    expect((await mailSpool.totals()).waiting.mails).to.equal(8);
    await queues.close();
  });
});
