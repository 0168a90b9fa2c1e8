import { expect } from 'chai';
import { newId } from '../../../core/ids.ts';
import { ingestJob, mailsOf } from '../../../core/intake/ingest-job.ts';
import { loadOf, loadsOf, priorityAt } from '../../../core/intake/load.ts';
import { openTestIntake, receivedMail } from '../../support/context/accept-together.ts';
import { service } from '../../support/service.ts';

const inTime = () => false;
/** The largest priority that BullMQ takes. */
const LIMIT = 2_097_151;

describe('load', () => {
  const test = service();

  const mailOf = (workspaceId: string, load = 1025) => ({
    ...receivedMail(`mbx_${workspaceId}`, 1),
    loads: { [workspaceId]: load },
  });
  /** Workspaces of the mails of each job, first served first. */
  const order = async () => {
    const queue = await test.context.queues.open(ingestJob);
    const jobs = await queue.getJobs(['prioritized'], 0, -1, true);
    return jobs.map(({ data }) =>
      mailsOf(ingestJob.payload.parse(data)).flatMap(({ loads }) => Object.keys(loads ?? {})),
    );
  };

  it('counts the bytes of a mail in each workspace, and its rows', () => {
    const message = { recipient: 'box@one.test', tag: null };
    const messages = [
      { ...message, id: newId('message'), mailboxId: 'mbx_1' },
      {
        ...message,
        id: newId('message'),
        mailboxId: 'mbx_1',
        envelopeTo: ['a@x.test', 'b@x.test'],
      },
      { ...message, id: newId('message'), mailboxId: 'mbx_2' },
    ];
    const recipients = [
      { ...message, mailboxId: 'mbx_1', workspaceId: 'wsp_1' },
      { ...message, mailboxId: 'mbx_2', workspaceId: 'wsp_2' },
    ];
    expect(loadOf({ size: 10, messages })).to.equal(10 + 5 * 1024);
    expect(loadsOf({ size: 10, messages }, recipients)).to.deep.equal({
      wsp_1: 10 + 4 * 1024,
      wsp_2: 10 + 1024,
    });
  });

  it('makes a priority that BullMQ takes, and never none', () => {
    expect([0, 1, 2048, 4096, 1e9].map(priorityAt)).to.deep.equal([1, 1, 1, 2, 19]);
    expect(priorityAt(Number.MAX_SAFE_INTEGER)).to.be.below(50);
    expect(priorityAt(2 ** 63)).to.be.below(LIMIT);
  });

  it('orders jobs, and no mail shares one with that of a workspace with another load', async () => {
    const intake = openTestIntake(test.context);
    for (let n = 0; n < 5; n += 1) await intake.add(mailOf('flood'), [Buffer.from('x')], inTime);
    await Promise.all(
      ['flood', 'flood', 'calm', 'flood', 'quiet'].map((id) =>
        intake.add(mailOf(id), [Buffer.from('x')], inTime),
      ),
    );
    const jobs = await order();
    const rest = jobs.filter((ids) => !ids.includes('flood'));
    expect(rest).to.deep.equal([['calm', 'quiet']]);
    expect(jobs.flat().slice(0, 5)).to.include.members(['calm', 'quiet']);
    expect(jobs.flat().at(-1)).to.equal('flood');
  });

  it('accepts mail in order at the largest load', async () => {
    const key = `${test.config.redisPrefix}:raw:loads`;
    await test.context.redis.hset(key, 'flood', `${2n ** 62n}`);
    const intake = openTestIntake(test.context);
    for (const id of ['flood', 'flood', 'calm']) {
      expect(await intake.add(mailOf(id), [Buffer.from('x')], inTime)).to.match(/^ing_/);
    }
    const ids = await order();
    expect(ids).to.deep.equal([['flood'], ['calm'], ['flood']]); // the first one knew no load
    const queue = await test.context.queues.open(ingestJob);
    const jobs = await queue.getJobs(['prioritized'], 0, -1, true);
    for (const { priority } of jobs) expect(priority).to.be.within(1, LIMIT);
  });
});
