import type { Job, Queue } from 'bullmq';
import { expect } from 'chai';
import { generateKeyring } from '../../../core/secrets/keyring.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { beforeSending, fire } from '../../support/context/fire.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';
import { withKeyring } from '../../support/context/with-parts.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PUBLISHED = [30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];

describe('the delivery schedule', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  const bench = webhookTest(test);
  const { receiver, newest, attempt, working } = bench;
  let queue: Queue;
  const openQueue = async () => {
    queue = await test.context.queues.open(deliverWebhook);
  };
  beforeEach(openQueue);

  /** The one delayed job, after this many failures. */
  const delayed = (failures: number) =>
    eventually(`failure ${failures}`, async () => {
      const [job] = await queue.getDelayed();
      return job?.attemptsMade === failures && job;
    });
  /** The due time of a delayed job (BullMQ stores it in the upper bits of the score). */
  const wakesAt = async ({ id }: Job) =>
    Math.floor(Number(await test.context.redis.zscore(queue.toKey('delayed'), id!)) / 0x1000);

  describe('as documented', () => {
    beforeEach(async () => {
      await bench.reopen({ WEBHOOK_RETRY_SCHEDULE_MS: '' });
      await openQueue();
    });

    it('retries after 30 s, 5 min, 30 min, 2 h and 6 h, then abandons', async () => {
      receiver.answer(500);
      await working(async () => {
        await bench.mail();
        for (const [index, delay] of PUBLISHED.entries()) {
          const job = await delayed(index + 1);
          expect(job.delay, `retry ${index + 1}`).to.equal(delay);
          const { at } = await receiver.request(index + 1);
          const sentAt = performance.timeOrigin + at;
          expect(await wakesAt(job)).to.be.at.least(Math.floor(sentAt + delay));
          const row = await newest();
          expect(row).to.include({ state: 'pending', failures: index + 1, attempts: index + 1 });
          test.advance(delay);
          await job.promote();
        }
        await bench.settled('abandoned');
      });
      expect(receiver.received).to.have.length(6);
      expect(await queue.getJobCounts('delayed', 'waiting', 'active', 'failed')).to.deep.equal({
        ...{ delayed: 0, waiting: 0, active: 0, failed: 1 },
      });
      expect(await newest()).to.include({ reason: 'http_error', nextAttemptAt: null });
      expect(await attempt(await newest())).to.deep.equal({ kind: 'done' });
      expect(receiver.received, 'nothing after it was abandoned').to.have.length(6);
    });

    it('makes no attempt before its time, even if its job runs early', async () => {
      receiver.answer(500);
      await working(async () => {
        await bench.mail();
        const job = await delayed(1);
        test.advance(SECOND);
        await job.promote();
        const again = await eventually('it to be put back', async () => {
          const [one] = await queue.getDelayed();
          return one && one.delay < 30 * SECOND && one;
        });
        expect(again.attemptsMade).to.equal(1);
        expect(again.delay).to.be.within(0, 29 * SECOND);
      });
      expect(receiver.received).to.have.length(1);
      expect(await newest()).to.include({ state: 'pending', failures: 1, attempts: 1 });
    });

    it('counts no attempt if the keyring lacks the key, and continues once it has it', async () => {
      const wrong = withKeyring(test.context, generateKeyring());
      await working(async () => {
        await bench.mail();
        const job = await delayed(1);
        expect(job.delay).to.equal(30 * SECOND);
        expect(JSON.stringify(job)).not.to.contain(bench.webhook.secret.slice(6));
      }, wrong);
      expect(await bench.attempts()).to.deep.equal([]);
      const row = await newest();
      expect(row).to.include({ state: 'pending', attempts: 0, failures: 0, interruptions: 0 });
      expect(row.leaseToken).to.equal(null);
      const dueIn = row.nextAttemptAt!.getTime() - row.createdAt.getTime();
      expect(dueIn).to.be.at.least(30 * SECOND);

      expect((await attempt(row)).kind, 'not before').to.equal('later');
      test.advance(30 * SECOND);
      expect(await attempt(row)).to.deep.equal({ kind: 'done' });
      expect(await newest()).to.include({ state: 'delivered', attempts: 1 });
      expect((await bench.attempts()).map(({ number }) => number)).to.deep.equal([1]);
    });

    it('counts no attempt if the database fails right before the request', async () => {
      let asked = 0;
      const context = beforeSending(test.context, async () => {
        asked += 1;
        throw new Error('the database is away');
      });
      expect((await attempt(await bench.owed(), context)).kind).to.equal('fault');
      expect(asked).to.equal(1);
      expect(receiver.received).to.have.length(0);
      expect(await bench.attempts()).to.deep.equal([]);
      expect(await newest()).to.include({ state: 'pending', attempts: 0, failures: 0 });
    });

    it('survives an unreadable job, and a job without a delivery', async () => {
      await working(async () => {
        await queue.add(deliverWebhook.name, { bad: true }, { ...deliverWebhook.options });
        const job = await delayed(1);
        expect(job.delay).to.equal(30 * SECOND);
        const gone = { deliveryId: 'dlv_x', webhookId: 'whk_x', messageId: 'msg_x', attempt: 1 };
        await test.context.queues.enqueue(deliverWebhook, gone, 'dlv_x');
        await eventually('the other to end', async () => {
          return (await test.context.queues.stateOf(deliverWebhook, 'dlv_x')) === 'completed';
        });
      });
    });
  });

  it('starts the delay at the end of an attempt that timed out', async () => {
    await bench.reopen({ WEBHOOK_TIMEOUT_MS: '1500', WEBHOOK_RETRY_SCHEDULE_MS: '150' });
    receiver.answer(() => undefined);
    await working(async () => {
      await bench.mail();
      await bench.settled('abandoned');
    });
    expect(await bench.outcomes()).to.deep.equal(['timeout', 'timeout']);
    const [first, second] = await bench.attempts();
    expect(first!.durationMs).to.be.at.least(1499);
    const gap = second!.startedAt.getTime() - first!.startedAt.getTime();
    expect(gap).to.be.at.least(first!.durationMs! + 150 - 1);
  });

  for (const [honored, expected] of [
    ['true', 1.5 * HOUR],
    ['false', HOUR],
  ] as const) {
    it(`is followed after Retry-After with WEBHOOK_HONOUR_RETRY_AFTER=${honored}`, async () => {
      await bench.reopen({
        WEBHOOK_RETRY_SCHEDULE_MS: String(HOUR),
        WEBHOOK_HONOUR_RETRY_AFTER: honored,
      });
      receiver.answer((_req, res) => res.writeHead(429, { 'retry-after': '5400' }).end());
      await working(async () => {
        await bench.mail();
        await receiver.request(1);
        await eventually('the answer', async () => (await newest()).failures === 1);
      });
      const [made] = await bench.attempts();
      expect(made).to.include({ statusCode: 429, retryAfterMs: 1.5 * HOUR });
      const delay = made!.nextAttemptAt!.getTime() - made!.startedAt.getTime() - made!.durationMs!;
      expect(delay).to.be.within(expected - 1, expected + MINUTE);
    });
  }

  describe('with a short schedule', () => {
    for (const failures of [1, 5]) {
      it(`ends with a success at attempt ${failures + 1}`, async () => {
        receiver.answer((_req, res) => {
          res.writeHead(receiver.received.length > failures ? 200 : 503).end();
        });
        await working(async () => {
          await bench.mail();
          await bench.settled('delivered');
          await eventually('the job to end', async () => (await queue.getCompletedCount()) === 1);
        });
        expect(receiver.received).to.have.length(failures + 1);
        expect(await queue.getDelayedCount()).to.equal(0);
        expect(await newest()).to.include({ failures, attempts: failures + 1, reason: null });
      });
    }

    it('requeues deliveries without a slot, without counting an attempt', async () => {
      const held: (() => void)[] = [];
      await working(async () => {
        await bench.mail();
        await bench.settled('delivered');
        receiver.answer((_req, res) => held.push(() => res.writeHead(204).end()));
        for (let n = 0; n < 14; n += 1) await bench.mail();
        await receiver.request(11);
        const parked = await eventually('four to be parked', async () => {
          const jobs = await queue.getDelayed();
          return jobs.length === 4 && jobs;
        });
        expect(parked.map(({ attemptsMade }) => attemptsMade)).to.deep.equal([0, 0, 0, 0]);
        const waiting = (await bench.deliveries()).filter(({ state }) => state === 'pending');
        expect(waiting.map(({ attempts }) => attempts)).to.deep.equal([0, 0, 0, 0]);
        expect(receiver.received).to.have.length(11);
        receiver.answer(204);
        for (const answer of held) answer();
        await receiver.request(15);
        await eventually('all to be delivered', async () =>
          (await bench.deliveries()).every(({ state }) => state === 'delivered'),
        );
      });
      expect(await bench.attempts()).to.have.length(15);
    });

    it('makes one request for a job that ten workers run at once', async () => {
      const others = await Promise.all([1, 2, 3, 4].map(() => test.another()));
      let answer: () => void = () => undefined;
      receiver.answer((_req, res) => (answer = () => res.writeHead(204).end()));
      const delivery = await bench.owed();
      const contexts = [test.context, ...others];
      const runs = [...contexts, ...contexts].map((context) => fire(context, delivery));
      const losers: unknown[] = [];
      for (const run of runs) void run.then((fired) => losers.push(fired.kind));
      await receiver.request(1);
      await eventually('the others to be put off', () => losers.length === 9);
      expect(new Set(losers)).to.deep.equal(new Set(['later']));
      answer();
      await Promise.all(runs);
      expect(receiver.received).to.have.length(1);
      expect(await newest()).to.include({ state: 'delivered', attempts: 1 });
      expect(await attempt(delivery), 'once more, later').to.deep.equal({ kind: 'done' });
      expect(receiver.received).to.have.length(1);
    });
  });
});
