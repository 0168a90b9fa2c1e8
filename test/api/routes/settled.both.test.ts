import { expect } from 'chai';
import { newId } from '../../../core/ids.ts';
import { firstJobId } from '../../../core/intake/accepted-mail.ts';
import { ingestJob } from '../../../core/intake/ingest-job.ts';
import type { Logger } from '../../../core/log.ts';
import { openQueuedMail } from '../../../core/waits/settled.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { acceptTogether, openTestIntake } from '../../support/context/accept-together.ts';
import { ingestNow } from '../../support/context/ingest.ts';
import { service } from '../../support/service.ts';

describe('settled', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' } });

  const isSettled = async (name = 'box') => {
    const path = `/api/mailboxes/${name}/messages/wait?subject=none&timeout=0`;
    const { body } = await test.api.get(path).expect(200);
    return (body as { settled: boolean }).settled;
  };

  it('is true for stored mail whose job, shared with other mail, is still queued', async () => {
    const { id } = await test.mailbox();
    await test.mailbox('other');
    const raws = ['Subject: 1\r\n\r\nx', 'Subject: 2\r\n\r\nx'];
    const ids = await acceptTogether(openTestIntake(test.context), id, raws);
    const other = await acceptMail(test.context, ['other@one.test'], 'Subject: s\r\n\r\n');
    await test.context.queues.enqueue(ingestJob, other, other.ingestId);
    expect(await isSettled()).to.equal(false);
    const queue = await test.context.queues.open(ingestJob);
    for (const { id: jobId, data } of await queue.getJobs(['prioritized'])) {
      if (jobId !== other.ingestId) await ingestNow(test.context, ingestJob.payload.parse(data));
    }
    expect(await queue.getJob(firstJobId(ids[0]!))).to.not.equal(undefined);
    expect(await isSettled()).to.equal(true);
    expect(await isSettled('other')).to.equal(false);
  });

  it('is true while much mail of another workspace waits', async () => {
    await test.mailbox();
    const stranger = await test.stranger();
    await test.api.post('/api/mailboxes', stranger).send({ name: 'box' }).expect(201);
    const mail = await acceptMail(test.context, ['box@other1.test'], 'Subject: s\r\n\r\n');
    for (let n = 0; n < 300; n += 1) {
      const ingestId = newId('ingest');
      await test.context.queues.enqueue(ingestJob, { ...mail, ingestId }, ingestId, 9);
    }
    expect(await isSettled()).to.equal(true);
  });

  it('is false for a job that cannot be read, and the reason is logged', async () => {
    const { id } = await test.mailbox();
    const mail = await acceptMail(test.context, ['box@one.test'], 'Subject: s\r\n\r\n');
    await test.context.queues.enqueue(ingestJob, mail, mail.ingestId);
    const queue = await test.context.queues.open(ingestJob);
    await test.context.redis.hset(queue.toKey(mail.ingestId), 'data', `{"cut":"${id}`);
    const logged: string[] = [];
    const log = Object.assign(Object.create(test.context.log) as Logger, {
      error: (message: string) => logged.push(message),
    });
    const queued = openQueuedMail({ ...test.context, log });
    expect(await queued.unsettled(test.caller, { id })).to.equal(null);
    expect(logged).to.deep.equal(['accepted mail cannot be read']);
  });
});
