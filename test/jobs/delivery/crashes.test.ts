import Database from 'better-sqlite3';
import type { Queue } from 'bullmq';
import { expect } from 'chai';
import { attemptDelivery } from '../../../core/delivery/attempt.js';
import type { Context } from '../../../core/context.js';
import { claimDelivery } from '../../../core/delivery/claim.js';
import { parseMail } from '../../../core/mime/parse-mail.js';
import { storeMail } from '../../../core/ingest/store-mail.js';
import { requeueLostDeliveries } from '../../../core/delivery/requeue-lost.js';
import { deliverWebhook } from '../../../jobs/deliver-webhook.js';
import { ingestMessage } from '../../../jobs/ingest-message.js';
import type { AnyJob } from '../../../core/queue/job.js';
import { acceptMail } from '../../support/context/accept.js';
import { itOnSqlite, sqliteFile } from '../../support/context/sqlite-file.js';
import { type TestContext, openTestContext } from '../../support/context/context.js';
import { eventually } from '../../support/mocha/eventually.js';
import { beforeSending, fire } from '../../support/context/fire.js';
import { type TestProcess, start } from '../../support/process/process.js';
import { type Receiver, openReceiver } from '../../support/servers/receiver.js';
import { storeDirectly } from '../../support/context/store-directly.js';
import {
  QUICK_WEBHOOKS,
  type WebhookBench,
  openWebhookBench,
} from '../../support/context/webhooks.js';
import {
  queueOf,
  whileDying,
  whileWorking,
  withQuickTakeover,
} from '../../support/context/workers.js';

/** Longer than any claim lasts, and than a delivery may be overdue before the sweep looks after it. */
const LONG_MS = 40_000;
const RUN = { jobId: '', start: 1, stalls: 0 };

describe('deliveries survive', () => {
  let test: TestContext;
  let receiver: Receiver;
  let bench: WebhookBench;
  let queue: Queue;

  const open = async (env: Record<string, string> = {}) => {
    test = await openTestContext({ ...QUICK_WEBHOOKS, ...env });
    receiver = await openReceiver();
    bench = await openWebhookBench(test, receiver.url);
    queue = queueOf(test.context, deliverWebhook);
  };
  const close = async () => {
    await queue.close();
    await receiver.close();
    await test.close();
  };
  beforeEach(() => open());
  afterEach(close);

  const job = withQuickTakeover(deliverWebhook);
  const working = (during: () => Promise<unknown>) => whileWorking(test, [job], during);
  const newest = async () => (await bench.deliveries()).at(-1)!;
  const outcomes = async () => (await bench.attempts()).map(({ outcome }) => outcome);
  const allDelivered = (count: number) =>
    eventually(
      `${count} deliveries`,
      async () => {
        const rows = await bench.deliveries();
        return rows.length === count && rows.every(({ state }) => state === 'delivered');
      },
      30_000,
    );
  /** Takes from Redis what it keeps of a dead worker until its time has passed. */
  const forget = async () => {
    const lock = `${(await newest()).id}:lock`;
    await test.context.redis.del(queue.toKey(lock), queue.toKey('stalled-check'));
  };
  const jobs = () => queue.getJobs(['waiting', 'active', 'delayed']);

  describe('the end of the process that', () => {
    it('had stored the message, and added no job: its mail’s job adds it when run again', async () => {
      const { context } = test;
      const mail = await acceptMail(context, ['box@one.test'], 'Subject: x\r\n\r\nx');
      const died = () => Promise.reject(new Error('died'));
      const dying: Context = {
        ...context,
        queues: { ...context.queues, enqueueAll: died },
        mailSpool: { ...context.mailSpool, ack: died },
      };
      await ingestMessage.run(dying, mail, RUN).catch(() => undefined);
      expect(await newest()).to.include({ state: 'pending' });
      expect(await jobs()).to.have.length(0);
      await ingestMessage.run(context, mail, RUN);
      expect(await jobs()).to.have.length(1);
      await working(() => allDelivered(1));
    });

    it('had stored the message, and added no job: the sweep adds it', async () => {
      await storeDirectly(test.context, bench.webhook.mailboxId, test.context.now());
      expect(await newest()).to.include({ state: 'pending' });
      expect(await requeueLostDeliveries(test.context), 'too early').to.equal(0);
      test.advance(LONG_MS);
      expect(await requeueLostDeliveries(test.context)).to.equal(1);
      await working(() => allDelivered(1));
      expect(receiver.received).to.have.length(1);
    });

    describe('by SIGKILL', () => {
      let worker: TestProcess;
      beforeEach(async () => {
        worker = await start('dist/jobs/worker.js', test.env);
      });
      afterEach(async () => {
        worker.child.kill('SIGKILL');
        await worker.exited;
      });

      const kill = async () => {
        worker.child.kill('SIGKILL');
        await worker.exited;
      };
      /** Answers once Redis has ended: what comes of it is written, and the queue is not told. */
      const answerWithoutQueue = (status: number) => {
        receiver.answer((_req, res) => {
          void test.redis.kill().then(() => res.writeHead(status).end());
        });
      };
      const restartRedis = async () => {
        await test.redis.start();
        await eventually('the connection', () => test.context.redis.status === 'ready');
      };

      it('waited for the answer: the call is made again', async () => {
        receiver.answer(() => undefined);
        await bench.mail();
        await receiver.request(1);
        await kill();
        await forget();
        expect(await newest()).to.include({ state: 'in_flight', attempts: 1, failures: 0 });
        receiver.answer(204);
        test.advance(LONG_MS);
        await working(() => allDelivered(1));
        expect(receiver.received).to.have.length(2);
        expect(await outcomes()).to.deep.equal(['interrupted', 'delivered']);
        expect(await newest()).to.include({ attempts: 2, failures: 0, interruptions: 1 });
      });

      itOnSqlite('had the answer, and had not written it: the call is made again', async () => {
        const blocker = new Database(sqliteFile(test.config));
        const answered = new Promise((resolve) => {
          receiver.answer((_req, res) => {
            blocker.exec('BEGIN IMMEDIATE');
            res.writeHead(204).end(resolve);
          });
        });
        await bench.mail();
        await answered;
        await kill();
        blocker.close();
        await forget();
        expect(await newest()).to.include({ state: 'in_flight' });
        receiver.answer(204);
        test.advance(LONG_MS);
        await working(() => allDelivered(1));
        expect(receiver.received).to.have.length(2);
        expect(await outcomes()).to.deep.equal(['interrupted', 'delivered']);
      });

      it('had written the answer, and not told the queue: no call is made again', async () => {
        answerWithoutQueue(204);
        await bench.mail();
        await bench.settled('delivered');
        await kill();
        await restartRedis();
        expect(await queue.getActiveCount()).to.equal(1);
        await forget();
        test.advance(LONG_MS);
        await working(() =>
          eventually('the job to end', async () => (await queue.getCompletedCount()) === 1),
        );
        expect(receiver.received).to.have.length(1);
      });

      it('had written a failure, and not told the queue: the call is made when it is due', async () => {
        answerWithoutQueue(500);
        await bench.mail();
        await eventually('the failure', async () => (await newest()).failures === 1);
        await kill();
        await restartRedis();
        expect(await queue.getActiveCount()).to.equal(1);
        await forget();
        receiver.answer(204);
        await working(() => allDelivered(1));
        expect(receiver.received).to.have.length(2);
        expect(await newest()).to.include({ attempts: 2, failures: 1, interruptions: 0 });
      });

      it('was told to stop by SIGTERM, an answer on its way: it is waited for', async () => {
        receiver.answer((_req, res) => {
          worker.child.kill('SIGTERM');
          setTimeout(() => res.writeHead(204).end(), 2000);
        });
        await bench.mail();
        expect(await worker.exited).to.equal(0);
        expect(await newest()).to.include({ state: 'delivered', attempts: 1 });
        expect(await queue.getCompletedCount(), 'the queue was told').to.equal(1);
      });
    });
  });

  it('three stalls: none of the six attempts is lost by them', async () => {
    // A worker that dies with the delivery in hand: it takes it and never comes back.
    const now = () => ({ now: new Date(test.context.now()), leaseUntil: new Date(0) });
    const taken: number[] = [];
    const deadly: AnyJob = {
      ...job,
      runUnknown: async (context, payload) => {
        const { deliveryId } = deliverWebhook.payload.parse(payload);
        await context.delivery.writer.run((tx) => claimDelivery(tx, deliveryId, now()));
        taken.push(taken.length);
        await new Promise(() => undefined);
      },
    };
    receiver.answer(500);
    await bench.mail();
    for (let death = 1; death <= 3; death += 1) {
      await whileDying(test, deadly, async () => {
        await eventually(`death ${death}`, () => taken.length === death);
      });
      await forget();
    }
    await working(() => bench.settled('abandoned'));
    expect(await outcomes()).to.deep.equal([
      ...Array<string>(3).fill('interrupted'),
      ...Array<string>(6).fill('http_error'),
    ]);
    expect(await newest()).to.include({ failures: 6, interruptions: 3, attempts: 9 });
  });

  describe('in Redis', () => {
    it('a FLUSHALL with deliveries of every kind pending', async () => {
      receiver.answer(500);
      await working(async () => {
        await bench.mail();
        await eventually('a failure', async () => (await newest()).failures > 0);
      });
      await bench.mail();
      await storeDirectly(test.context, bench.webhook.mailboxId, test.context.now());
      await test.context.redis.flushall();
      receiver.answer(204);
      test.advance(LONG_MS);
      expect(await requeueLostDeliveries(test.context)).to.equal(3);
      await working(() => allDelivered(3));
    });

    it('a FLUSHALL while the answer is on its way', async () => {
      let answer: () => void = () => undefined;
      receiver.answer((_req, res) => (answer = () => res.writeHead(500).end()));
      await working(async () => {
        await bench.mail();
        await receiver.request(1);
        await test.context.redis.flushall();
        answer();
        await eventually('the failure', async () => (await newest()).failures === 1);
        receiver.answer(204);
        test.advance(LONG_MS);
        expect(await requeueLostDeliveries(test.context)).to.equal(1);
        await allDelivered(1);
      });
    });

    it('its end while mail is stored, whether the mail’s job runs again or the sweep', async () => {
      const { context } = test;
      const raw = Buffer.from('Subject: x\r\n\r\nx');
      const accepted = await Promise.all(
        [1, 2].map(() => acceptMail(context, ['box@one.test'], raw)),
      );
      await test.redis.kill();
      for (const mail of accepted) {
        const stored = storeMail(context, { accepted: mail, mail: await parseMail(raw), raw });
        expect(await stored).to.equal('stored');
      }
      expect(await bench.deliveries()).to.have.length(2);
      await test.redis.start();
      await eventually('the connection', () => context.redis.status === 'ready');
      await ingestMessage.run(context, accepted[0]!, RUN);
      expect(await jobs(), 'that mail’s own').to.have.length(1);
      test.advance(LONG_MS);
      expect(await requeueLostDeliveries(context)).to.equal(1);
      await working(() => allDelivered(2));
      expect(receiver.received).to.have.length(2);
    });

    it('its end while calls are under way', async () => {
      const held: (() => void)[] = [];
      await working(async () => {
        await bench.mail();
        await allDelivered(1);
        receiver.answer((_req, res) => held.push(() => res.writeHead(204).end()));
        for (let n = 0; n < 5; n += 1) await bench.mail();
        await receiver.request(6);
        await test.redis.kill();
        for (const answer of held) answer();
        await allDelivered(6);
        await test.redis.start();
        await eventually('the connection', () => test.context.redis.status === 'ready');
        receiver.answer(204);
        await bench.mail();
        await allDelivered(7);
        await eventually('all jobs to end', async () => (await jobs()).length === 0, 20_000);
      });
      expect(receiver.received).to.have.length(7);
    });
  });

  it('two workers on one queue, each delivery going to one of them', async () => {
    const second = await test.another();
    const MAILS = 30;
    receiver.answer((_req, res) => {
      res.writeHead(receiver.received.length % 3 === 0 ? 500 : 204).end();
    });
    await working(() =>
      whileWorking({ ...test, context: second }, [job], async () => {
        for (let n = 0; n < MAILS; n += 1) await bench.mail();
        await allDelivered(MAILS);
      }),
    );
    const attempts = await bench.attempts();
    expect(receiver.received, 'a call for each attempt').to.have.length(attempts.length);
    expect(new Set(await outcomes())).to.deep.equal(new Set(['delivered', 'http_error']));
    const delivered = attempts.filter(({ outcome }) => outcome === 'delivered');
    expect(delivered, 'one success for each').to.have.length(MAILS);
  });

  describe('a process that was suspended for longer than its claim lasts', () => {
    const attempt = async () => fire(test.context, await newest());
    /** Two calls: the first by a process that is suspended meanwhile, the second by another. */
    const overtaken = async () => {
      const answers: ((status: number) => void)[] = [];
      receiver.answer((_req, res) => answers.push((status) => res.writeHead(status).end()));
      await bench.mail();
      const first = attempt();
      await receiver.request(1);
      test.advance(LONG_MS);
      const second = attempt();
      await receiver.request(2);
      return { first, second, answerFirst: answers[0]!, answerSecond: answers[1]! };
    };

    it('before the call, another having made it: it makes none', async () => {
      await bench.mail();
      const context = beforeSending(test.context, async () => {
        test.advance(LONG_MS);
        expect(await attempt()).to.deep.equal({ kind: 'done' });
      });
      expect(await fire(context, await newest())).to.deep.equal({ kind: 'done' });
      expect(receiver.received).to.have.length(1);
      expect(await outcomes()).to.deep.equal(['delivered']);
    });

    it('before the call, nobody having made it: it begins anew', async () => {
      await bench.mail();
      const context = beforeSending(test.context, async () => {
        test.advance(LONG_MS);
      });
      const fired = await fire(context, await newest());
      expect(fired).to.deep.equal({ kind: 'later', delayMs: 0 });
      expect(receiver.received).to.have.length(0);
      expect(await attempt()).to.deep.equal({ kind: 'done' });
      expect(await newest()).to.include({ state: 'delivered', attempts: 1 });
    });

    it('during the call, which fails: the failure is not counted beside the other’s', async () => {
      const { first, second, answerFirst, answerSecond } = await overtaken();
      answerFirst(500);
      expect(await first).to.deep.equal({ kind: 'done' });
      expect(await newest()).to.include({ state: 'in_flight', failures: 0 });
      answerSecond(500);
      expect((await second).kind).to.equal('retry');
      expect(await newest()).to.include({ state: 'pending', failures: 1, interruptions: 1 });
      expect(await outcomes()).to.deep.equal(['http_error', 'http_error']);
    });

    it('during the call, which succeeds: the message is delivered, whatever the other finds', async () => {
      const { first, second, answerFirst, answerSecond } = await overtaken();
      answerSecond(500);
      expect((await second).kind).to.equal('retry');
      answerFirst(204);
      expect(await first).to.deep.equal({ kind: 'done' });
      expect(await newest()).to.include({ state: 'delivered', nextAttemptAt: null });
      test.advance(LONG_MS);
      expect(await attempt()).to.deep.equal({ kind: 'done' });
      expect(receiver.received).to.have.length(2);
    });
  });

  describe('what kills every process that tries it', () => {
    /** The process dies with it: the claim stays, and its time goes by. */
    const die = async () => {
      const at = test.context.now();
      const leaseUntil = new Date(at + 20_000);
      const { id } = await newest();
      const claim = await test.context.delivery.writer.run((tx) =>
        claimDelivery(tx, id, { now: new Date(at), leaseUntil }),
      );
      test.advance(LONG_MS);
      return claim.kind;
    };
    const attempt = async (context = test.context) =>
      (await attemptDelivery(context, (await newest()).id)).result;

    beforeEach(async () => {
      await close();
      await open({ WEBHOOK_RETRY_SCHEDULE_MS: Array(5).fill(LONG_MS).join(',') });
      receiver.answer(500);
      await bench.mail();
    });

    it('five times: it is not counted as a failure', async () => {
      for (let death = 1; death <= 5; death += 1) expect(await die()).to.equal('claimed');
      expect((await attempt()).kind).to.equal('retry');
      expect(await newest()).to.include({ failures: 1, interruptions: 5, attempts: 6 });
      expect(receiver.received).to.have.length(1);
    });

    it('from the sixth time on: each time counts, until it is abandoned', async () => {
      for (let death = 1; death <= 6; death += 1) await die();
      for (let failure = 1; failure <= 5; failure += 1) {
        expect(await attempt(), `failure ${failure}`).to.include({ kind: 'retry' });
        expect(await newest()).to.include({ state: 'pending', failures: failure });
        expect((await attempt()).kind, 'not before it is due').to.equal('later');
        test.advance(LONG_MS);
        expect(await die()).to.equal('claimed');
      }
      expect(await attempt()).to.include({ kind: 'abandoned' });
      expect(await newest()).to.include({ state: 'abandoned', reason: 'interrupted', failures: 6 });
      expect(receiver.received, 'no call came of it').to.have.length(0);
      const [webhook] = await test.context.store.db.select().from(test.context.store.db.t.webhooks);
      expect(webhook).to.include({ abandonedInARow: 1, active: true });
    });

    it('is counted once by two who find it', async () => {
      for (let death = 1; death <= 6; death += 1) await die();
      const second = await test.another();
      const kinds = (await Promise.all([attempt(), attempt(second)])).map(({ kind }) => kind);
      expect(kinds).to.have.members(['retry', 'later']);
      expect(await newest()).to.include({ failures: 1 });
    });
  });
});
