import { expect } from 'chai';
import { jobBytesOf } from '../../../core/intake/accepted-mail.ts';
import { ingestJob, mailsOf } from '../../../core/intake/ingest-job.ts';
import { type MailIntake } from '../../../core/intake/intake.ts';
import { SpoolFullError } from '../../../core/intake/spool-room.ts';
import { service } from '../../support/service.ts';
import { openTestIntake, receivedMail } from '../../support/context/accept-together.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejection } from '../../support/mocha/rejection.ts';

/** Bytes that a mail takes with its job. */
const occupied = (size: number) => size + jobBytesOf(receivedMail('mbx_box', size).messages);
const inTime = () => false;
const KIB = 1024;
const MIB = 1024 * KIB;

describe('mail intake', () => {
  const test = service();

  const add = (intake: MailIntake, size: number, isLate = inTime) =>
    intake.add(receivedMail('mbx_box', size), [Buffer.alloc(size, 'x')], isLate);
  /** The ingest ids in each waiting job, first added first. */
  const jobs = async () => {
    const queue = await test.context.queues.open(ingestJob);
    return (await queue.getJobs(['prioritized'], 0, -1, true)).map(({ data }) =>
      mailsOf(ingestJob.payload.parse(data)).map(({ ingestId }) => ingestId),
    );
  };
  const mailsInJobs = async () => (await jobs()).map((ids) => ids.length);
  const sizes = () => test.context.redis.hgetall(`${test.config.redisPrefix}:raw:sizes`);

  it('gives a mail that is ready alone a job of its own', async () => {
    const intake = openTestIntake(test.context);
    const ids = [await add(intake, 10), await add(intake, 20)];
    expect(await jobs()).to.deep.equal(ids.map((id) => [id]));
    expect(await sizes()).to.deep.equal({
      [ids[0]!]: `${occupied(10)}`,
      [ids[1]!]: `${occupied(20)}`,
    });
  });

  it('gives mails that are ready during a write one job, in their order', async () => {
    const intake = openTestIntake(test.context);
    const ids = await Promise.all([1, 2, 3, 4].map((size) => add(intake, size)));
    expect(await jobs()).to.deep.equal([[ids[0]], ids.slice(1)]);
    expect(new Set(ids).size).to.equal(4);
    const bytes = await test.context.mailSpool.getAll(ids);
    expect(bytes.map((value) => value?.length)).to.deep.equal([1, 2, 3, 4]);
    const { mails, bytes: waiting } = (await test.context.mailSpool.totals()).waiting;
    expect([mails, waiting]).to.deep.equal([4, 10 + 4 * occupied(0)]);
  });

  it('puts at most 50 mails and 1 MiB into a job', async () => {
    const intake = openTestIntake(test.context);
    await Promise.all(Array.from({ length: 112 }, () => add(intake, 1)));
    expect(await mailsInJobs()).to.deep.equal([1, 50, 50, 11]);
    await Promise.all(Array.from({ length: 31 }, () => add(intake, 60 * KIB)));
    expect((await mailsInJobs()).slice(4)).to.deep.equal([1, 16, 14]);
  });

  it('counts recipients as bytes', async () => {
    const intake = openTestIntake(test.context);
    const crowd = Array.from({ length: 1000 }, (_, n) => `r${n}@one.test`);
    const mail = receivedMail('mbx_box', 1);
    const caught = { ...mail, messages: [{ ...mail.messages[0]!, envelopeTo: crowd }] };
    await Promise.all([
      add(intake, 1),
      intake.add(caught, [Buffer.from('x')], inTime),
      add(intake, 1),
    ]);
    expect(await mailsInJobs()).to.deep.equal([1, 1, 1]);
  });

  it('gives mail above 64 KiB a job of its own, without a wait for the write', async () => {
    const intake = openTestIntake(test.context);
    const large = [add(intake, 65 * KIB), add(intake, 1_100_000)];
    const ids = await Promise.all([add(intake, 1), add(intake, 2), ...large]);
    expect(await mailsInJobs()).to.deep.equal([1, 1, 1, 1]);
    expect(Object.keys(await sizes())).to.have.members(ids);
  });

  it('refuses and removes every mail of a write whose outcome is unknown', async () => {
    const { queues } = test.context;
    let writes = 0;
    const intake = openTestIntake(test.context, {
      queues: {
        ...queues,
        enqueue: async (...args) => {
          await queues.enqueue(...args);
          if ((writes += 1) === 2) throw new Error('the reply is lost');
        },
      },
    });
    const [first, ...others] = await Promise.allSettled([1, 2, 3, 4].map((n) => add(intake, n)));
    expect(others.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    const id = first?.status === 'fulfilled' ? first.value : '';
    await eventually('the group to be removed', async () => {
      return Object.keys(await sizes()).length === 1 && (await jobs()).length === 1;
    });
    expect(await jobs()).to.deep.equal([[id]]);
    expect((await test.context.mailSpool.totals()).waiting).to.deep.equal({
      mails: 1,
      bytes: occupied(1),
    });
    await add(intake, 5); // later mail is not affected
  });

  it('keeps the bytes of a mail that has left such a group for a job of its own', async () => {
    const { queues } = test.context;
    const left: string[] = [];
    const intake = openTestIntake(test.context, {
      queues: {
        ...queues,
        enqueue: async (job, payload, jobId) => {
          await queues.enqueue(job, payload, jobId);
          const parsed = ingestJob.payload.parse(payload);
          if (!('mails' in parsed)) return;
          // A worker takes the group, and one of its mails leaves it and is being processed.
          const [, mail] = parsed.mails;
          await queues.enqueue(ingestJob, mail!, mail!.ingestId);
          await queues.discard(ingestJob, jobId);
          left.push(mail!.ingestId);
          throw new Error('the reply is lost');
        },
        discard: async (job, jobId) => {
          if (!left.includes(jobId)) await queues.discard(job, jobId);
        },
      },
    });
    const added = [1, 2, 3, 4].map((n) => add(intake, n));
    await Promise.allSettled(added);
    await eventually('the others to be removed', async () => {
      return Object.keys(await sizes()).length === 2;
    });
    expect(Object.keys(await sizes())).to.have.members([await added[0]!, ...left]);
  });

  it('writes nothing of a mail whose client already has its reply', async () => {
    const intake = openTestIntake(test.context);
    let isLate = false;
    const alone = add(intake, 1);
    const late = rejection(add(intake, 2, () => isLate));
    const other = add(intake, 3);
    isLate = true;
    const ids = [await alone, await other];
    expect(String(await late)).to.contain('451');
    expect(Object.keys(await sizes())).to.have.members(ids);
    expect(await mailsInJobs()).to.deep.equal([1, 1]);
  });

  it('refuses mail while Redis has only the memory left that workers need', async () => {
    const { redis } = test.context;
    const intake = openTestIntake(test.context);
    const used = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    const limit = 40 * MIB + (await used());
    const fill = async () => {
      for (let n = 0; n < 1000; n += 1) await add(intake, 60 * KIB);
    };
    try {
      await redis.config('SET', 'maxmemory', `${limit}`);
      expect(await rejection(fill())).to.be.instanceOf(SpoolFullError);
      expect(limit - (await used())).to.be.within(15 * MIB, 18 * MIB);
      await redis.config('SET', 'maxmemory', `${(await used()) + 100}`);
      expect(await rejection(add(intake, 1))).to.be.instanceOf(SpoolFullError);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await add(intake, 1);
  });
});
