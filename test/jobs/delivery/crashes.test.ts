import Database from 'better-sqlite3';
import type { Queue } from 'bullmq';
import { expect } from 'chai';
import { attemptDelivery } from '../../../core/delivery/attempt.ts';
import type { Context } from '../../../core/context.ts';
import { acquireLease } from '../../../core/delivery/lease.ts';
import { parseMail } from '../../../core/mime/parse-mail.ts';
import { storeMail } from '../../../core/ingest/store-mail.ts';
import { requeueLostDeliveries } from '../../../core/delivery/requeue-lost.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { startReconciliation } from '../../../jobs/reconcile-redis.ts';
import type { AnyJob } from '../../../core/queue/job.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { itOnSqlite, sqliteFile } from '../../support/context/sqlite-file.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { beforeSending } from '../../support/context/fire.ts';
import { type TestProcess, start } from '../../support/process/process.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';
import { whileDying, whileWorking, withQuickTakeover } from '../../support/context/workers.ts';

/** Longer than a lease, and than the overdue time after which the sweep acts. */
const LONG_MS = 40_000;
const RUN = { jobId: '', start: 1, stalls: 0 };

describe('deliveries survive', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  const bench = webhookTest(test);
  const { receiver, newest, outcomes, attempt } = bench;
  let queue: Queue;
  beforeEach(async () => {
    queue = await test.context.queues.open(deliverWebhook);
  });

  const job = withQuickTakeover(deliverWebhook);
  const working = (during: () => Promise<unknown>) => whileWorking(test, [job], during);
  const allDelivered = (count: number) =>
    eventually(`${count} deliveries`, async () => {
      const rows = await bench.deliveries();
      return rows.length === count && rows.every(({ state }) => state === 'delivered');
    });
  /** Removes the state of a dead worker from Redis, as if its locks had expired. */
  const forget = async () => {
    const lock = `${(await newest()).id}:lock`;
    await test.context.redis.del(queue.toKey(lock), queue.toKey('stalled-check'));
  };
  const jobs = () => queue.getJobs(['waiting', 'active', 'delayed']);
  const restartRedis = async () => {
    await test.redis.start();
    await eventually('the connection', () => test.context.redis.status === 'ready');
    await (await startReconciliation(test.context)).stop();
  };

  describe('the death of a process that', () => {
    it('stored the message but added no job: the repeated ingest job adds it', async () => {
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

    it('stored the message but added no job: the sweep adds it', async () => {
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
        worker = await start('jobs/worker', test.env);
      });
      afterEach(async () => {
        worker.child.kill('SIGKILL');
        await worker.exited;
      });

      const kill = async () => {
        worker.child.kill('SIGKILL');
        await worker.exited;
      };
      /** Responds once Redis has stopped: the result is recorded, but the queue is not updated. */
      const answerWithoutQueue = (status: number) => {
        receiver.answer((_req, res) => {
          void test.redis.kill().then(() => res.writeHead(status).end());
        });
      };

      it('waited for the response: the request is repeated', async () => {
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

      itOnSqlite(
        'received the response but did not record it: the request is repeated',
        async () => {
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
        },
      );

      it('recorded the response but did not update the queue: the request is not repeated', async () => {
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

      it('recorded a failure but did not update the queue: the next attempt is made when due', async () => {
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

      it('received SIGTERM with a response pending: it waits for the response', async () => {
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

  it('three stalls: none of them uses up an attempt', async () => {
    // A worker that dies with the delivery: it takes a lease and never returns.
    const now = () => ({ now: new Date(test.context.now()), leaseUntil: new Date(0) });
    const taken: number[] = [];
    const deadly: AnyJob = {
      ...job,
      runUnknown: async (context, payload) => {
        const { deliveryId } = deliverWebhook.payload.parse(payload);
        await context.delivery.writer.run((tx) => acquireLease(tx, deliveryId, now()));
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

  describe('of Redis', () => {
    it('a FLUSHALL with deliveries in every state pending', async () => {
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

    it('a FLUSHALL while a response is pending', async () => {
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

    it('its stop while mail is stored, followed by the ingest job or the sweep', async () => {
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
      await restartRedis();
      await ingestMessage.run(context, accepted[0]!, RUN);
      expect(await jobs(), 'that mail’s own').to.have.length(1);
      test.advance(LONG_MS);
      expect(await requeueLostDeliveries(context)).to.equal(1);
      await working(() => allDelivered(2));
      expect(receiver.received).to.have.length(2);
    });

    it('its stop while requests are in progress', async () => {
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
        await restartRedis();
        receiver.answer(204);
        await bench.mail();
        await allDelivered(7);
        await eventually('all jobs to end', async () => (await jobs()).length === 0);
      });
      expect(receiver.received).to.have.length(7);
    });
  });

  it('two workers on one queue, with one attempt per delivery', async () => {
    const second = await test.another();
    const MAILS = 30;
    const seen = new Set<string>();
    receiver.answer((_req, res, { headers }) => {
      const id = headers['webhook-id']!;
      // Every third delivery fails once: a failure for every third request may abandon a delivery.
      const fails = !seen.has(id) && seen.size % 3 === 0;
      seen.add(id);
      res.writeHead(fails ? 500 : 204).end();
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

  describe('a process suspended for longer than its lease', () => {
    /** Two requests: the first by a process that is suspended meanwhile, the second by another. */
    const overtaken = async () => {
      const answers: ((status: number) => void)[] = [];
      receiver.answer((_req, res) => answers.push((status) => res.writeHead(status).end()));
      const delivery = await bench.owed();
      const first = attempt(delivery);
      await receiver.request(1);
      test.advance(LONG_MS);
      const second = attempt(delivery);
      await receiver.request(2);
      return { delivery, first, second, answerFirst: answers[0]!, answerSecond: answers[1]! };
    };

    it('before its request, made by another process: it makes none', async () => {
      const delivery = await bench.owed();
      const context = beforeSending(test.context, async () => {
        test.advance(LONG_MS);
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
      });
      expect(await attempt(delivery, context)).to.deep.equal({ kind: 'done' });
      expect(receiver.received).to.have.length(1);
      expect(await outcomes()).to.deep.equal(['delivered']);
    });

    it('before its request, not made by another process: it starts again', async () => {
      const delivery = await bench.owed();
      const context = beforeSending(test.context, async () => {
        test.advance(LONG_MS);
      });
      const fired = await attempt(delivery, context);
      expect(fired).to.deep.equal({ kind: 'later', delayMs: 0 });
      expect(receiver.received).to.have.length(0);
      expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
      expect(await newest()).to.include({ state: 'delivered', attempts: 1 });
    });

    it('during its request, which fails: the failure is not counted in addition', async () => {
      const { first, second, answerFirst, answerSecond } = await overtaken();
      answerFirst(500);
      expect(await first).to.deep.equal({ kind: 'done' });
      expect(await newest()).to.include({ state: 'in_flight', failures: 0 });
      answerSecond(500);
      expect((await second).kind).to.equal('retry');
      expect(await newest()).to.include({ state: 'pending', failures: 1, interruptions: 1 });
      expect(await outcomes()).to.deep.equal(['http_error', 'http_error']);
    });

    it('during its request, which succeeds: the message is delivered, whatever the other result', async () => {
      const { delivery, first, second, answerFirst, answerSecond } = await overtaken();
      answerSecond(500);
      expect((await second).kind).to.equal('retry');
      answerFirst(204);
      expect(await first).to.deep.equal({ kind: 'done' });
      expect(await newest()).to.include({ state: 'delivered', nextAttemptAt: null });
      test.advance(LONG_MS);
      expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
      expect(receiver.received).to.have.length(2);
    });
  });

  describe('a delivery that kills every process', () => {
    /** The process dies: the lease stays until it expires. */
    const die = async () => {
      const at = test.context.now();
      const leaseUntil = new Date(at + 20_000);
      const { id } = await newest();
      const claim = await test.context.delivery.writer.run((tx) =>
        acquireLease(tx, id, { now: new Date(at), leaseUntil }),
      );
      test.advance(LONG_MS);
      return claim.kind;
    };
    const retry = async (context = test.context) =>
      (await attemptDelivery(context, (await newest()).id)).result;

    beforeEach(async () => {
      await bench.reopen({ WEBHOOK_RETRY_SCHEDULE_MS: Array(5).fill(LONG_MS).join(',') });
      receiver.answer(500);
      await bench.mail();
    });

    it('five times: it is not counted as a failure', async () => {
      for (let death = 1; death <= 5; death += 1) expect(await die()).to.equal('leased');
      expect((await retry()).kind).to.equal('retry');
      expect(await newest()).to.include({ failures: 1, interruptions: 5, attempts: 6 });
      expect(receiver.received).to.have.length(1);
    });

    it('from the sixth time on: each time counts, until it is abandoned', async () => {
      for (let death = 1; death <= 6; death += 1) await die();
      for (let failure = 1; failure <= 5; failure += 1) {
        expect(await retry(), `failure ${failure}`).to.include({ kind: 'retry' });
        expect(await newest()).to.include({ state: 'pending', failures: failure });
        expect((await retry()).kind, 'not before it is due').to.equal('later');
        test.advance(LONG_MS);
        expect(await die()).to.equal('leased');
      }
      expect(await retry()).to.include({ kind: 'abandoned' });
      expect(await newest()).to.include({ state: 'abandoned', reason: 'interrupted', failures: 6 });
      expect(receiver.received, 'no request was made').to.have.length(0);
      const [webhook] = await test.context.store.db.select().from(test.context.store.db.t.webhooks);
      expect(webhook).to.include({ abandonedInARow: 1, active: true });
    });

    it('is counted once if two processes find it', async () => {
      for (let death = 1; death <= 6; death += 1) await die();
      const second = await test.another();
      const kinds = (await Promise.all([retry(), retry(second)])).map(({ kind }) => kind);
      expect(kinds).to.have.members(['retry', 'later']);
      expect(await newest()).to.include({ failures: 1 });
    });
  });
});
