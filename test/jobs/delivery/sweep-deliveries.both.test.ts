import type { Queue } from 'bullmq';
import { expect } from 'chai';
import { firstId } from '../../../core/ids.ts';
import { requeueLostDeliveries } from '../../../core/delivery/requeue-lost.ts';
import type { DeliveryRow } from '../../../db/statements/deliveries.ts';
import { newDelivery } from '../../../core/delivery/fan-out.ts';
import { removeWebhook } from '../../../db/statements/webhooks.ts';
import { insertIgnoring } from '../../../db/store.ts';
import type { DeliveryState } from '../../../db/schema/tables.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { GiveUp, type AnyJob } from '../../../core/queue/job.ts';
import { expireMessages, sweepDeliveries } from '../../../jobs/scheduled.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import {
  QUICK_WEBHOOKS,
  type WebhookBench,
  openWebhookBench,
} from '../../support/context/webhooks.ts';
import { whileDying, whileWorking } from '../../support/context/workers.ts';

const OVERDUE_MS = 31_000;
const DAY_MS = 86_400_000;

describe('the delivery sweep', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  let bench: WebhookBench;
  let queue: Queue;
  beforeEach(async () => {
    bench = await openWebhookBench(test, 'http://127.0.0.1:9000/hook');
    queue = await test.context.queues.open(deliverWebhook);
  });

  /** Deliveries with rows but without jobs. */
  const insert = async (count: number, changes: Partial<DeliveryRow> = {}) => {
    const now = new Date(test.context.now());
    const rows = Array.from({ length: count }, () => ({
      ...newDelivery({
        ...{ webhookId: bench.webhook.id, messageId: 'msg_x', trigger: 'event', now },
      }),
      ...changes,
    }));
    await test.context.store.transaction((tx) => insertIgnoring(tx.t.deliveries, rows));
    return rows;
  };
  const one = async (changes: Partial<DeliveryRow> = {}) => (await insert(1, changes))[0]!;
  const enqueue = ({ id, webhookId, messageId }: DeliveryRow) =>
    test.context.queues.enqueue(
      deliverWebhook,
      { deliveryId: id, webhookId, messageId, attempt: 1 },
      id,
    );
  const stateOf = ({ id }: DeliveryRow) => test.context.queues.stateOf(deliverWebhook, id);
  const at = (ms: number) => new Date(test.context.now() + ms);

  it('adds the job of a delivery that is overdue by 30 s, and not earlier', async () => {
    const delivery = await one();
    expect(await requeueLostDeliveries(test.context)).to.equal(0);
    test.advance(OVERDUE_MS);
    expect(await requeueLostDeliveries(test.context)).to.equal(1);
    expect(await stateOf(delivery)).to.equal('prioritized');
    const { id: deliveryId, webhookId } = delivery;
    const { workspaceId } = test.workspace;
    const payload = { deliveryId, webhookId, messageId: 'msg_x', attempt: 1, workspaceId };
    expect((await queue.getJob(deliveryId))?.data).to.deep.equal(payload);
  });

  it('changes nothing if run again, or twice at once', async () => {
    await insert(20);
    test.advance(OVERDUE_MS);
    const second = await test.another();
    await Promise.all([requeueLostDeliveries(test.context), requeueLostDeliveries(second)]);
    expect(await queue.getPrioritizedCount()).to.equal(20);
    const before = (await queue.getPrioritized()).map(({ id, timestamp }) => [id, timestamp]);
    expect(await requeueLostDeliveries(test.context)).to.equal(0);
    const after = (await queue.getPrioritized()).map(({ id, timestamp }) => [id, timestamp]);
    expect(after).to.deep.equal(before);
  });

  it('takes over expired leases only', async () => {
    const claim = { state: 'in_flight', leaseToken: 'lse_x' } as const;
    const dead = await one({ ...claim, leaseUntil: at(OVERDUE_MS) });
    const live = await one({ ...claim, leaseUntil: at(OVERDUE_MS + 60_000) });
    test.advance(OVERDUE_MS);
    expect(await requeueLostDeliveries(test.context)).to.equal(1);
    expect([await stateOf(dead), await stateOf(live)]).to.deep.equal(['prioritized', 'unknown']);
  });

  it('ignores retries that are not due, and final or held deliveries', async () => {
    const states: DeliveryState[] = ['delivered', 'abandoned', 'held', 'cancelled', 'expired'];
    for (const state of states) await insert(2, { state, nextAttemptAt: null });
    await insert(1, { nextAttemptAt: at(6 * 3_600_000) });
    test.advance(3_600_000);
    expect(await requeueLostDeliveries(test.context)).to.equal(0);
    expect(await queue.getPrioritizedCount()).to.equal(0);
  });

  it('ignores waiting, delayed and active jobs, and replaces finished ones', async () => {
    const delayed = await one();
    const failed = await one();
    const completed = await one();
    const active = await one();
    const waiting = await one();
    // Each job ends as its id says; its payload does not matter.
    const acting: AnyJob = {
      ...deliverWebhook,
      runUnknown: async (_context, payload) => {
        const { deliveryId } = deliverWebhook.payload.parse(payload);
        if (deliveryId === delayed.id) throw new Error('again in 30 s');
        if (deliveryId === failed.id) throw new GiveUp('abandoned');
        if (deliveryId === active.id) await new Promise(() => undefined);
      },
    };
    for (const row of [delayed, failed, completed, active]) await enqueue(row);
    await whileDying(test, acting, async () => {
      await eventually('each to be where it belongs', async () => {
        const ends = ['delayed', 'failed', 'completed', 'active'];
        const counts = await queue.getJobCounts();
        return ends.every((end) => counts[end] === 1);
      });
    });
    await enqueue(waiting);
    const all = [delayed, failed, completed, active, waiting];
    const states = () => Promise.all(all.map(stateOf));
    expect(await states()).to.deep.equal([
      ...['delayed', 'failed', 'completed', 'active', 'waiting'],
    ]);
    test.advance(OVERDUE_MS);
    expect(await requeueLostDeliveries(test.context)).to.equal(2);
    expect(await states()).to.deep.equal([
      ...['delayed', 'prioritized', 'prioritized', 'active', 'waiting'],
    ]);
    expect(await requeueLostDeliveries(test.context)).to.equal(0);
  });

  it('repairs a job that Redis kept only in part', async () => {
    const delivery = await one();
    await enqueue(delivery);
    await test.context.redis.del(queue.toKey('wait'), queue.toKey('marker'));
    test.advance(OVERDUE_MS);
    expect(await requeueLostDeliveries(test.context)).to.equal(1);
    expect(await stateOf(delivery)).to.equal('prioritized');
  });

  it('covers all deliveries page by page, also with equal due times', async () => {
    const rows = [
      ...(await insert(450)),
      ...(await insert(3, { state: 'delivered', nextAttemptAt: null })),
      ...(await insert(150, { nextAttemptAt: at(5) })),
      ...(await insert(5, { state: 'in_flight', leaseToken: 'lse_x', leaseUntil: at(10) })),
    ];
    test.advance(OVERDUE_MS);
    expect(await requeueLostDeliveries(test.context)).to.equal(605);
    expect(await queue.getPrioritizedCount()).to.equal(605);
    expect(rows).to.have.length(608);
    expect(await requeueLostDeliveries(test.context)).to.equal(0);
  });

  it('adds thousands of lost jobs in a run', async () => {
    await insert(5000);
    test.advance(OVERDUE_MS);
    expect(await requeueLostDeliveries(test.context)).to.equal(5000);
    expect(await queue.getPrioritizedCount()).to.equal(5000);
  });

  it('looks at a limited number with jobs per run, and continues there in the next', async () => {
    const rows = await insert(2600);
    test.advance(OVERDUE_MS);
    expect(await requeueLostDeliveries(test.context)).to.equal(2600);
    for (const { id } of [rows[0]!, ...rows.slice(-3)]) await queue.remove(id);
    expect(await requeueLostDeliveries(test.context)).to.equal(1);
    expect(await requeueLostDeliveries(test.context), 'the last ones').to.equal(3);
    expect(await requeueLostDeliveries(test.context), 'from the start').to.equal(0);
  });

  describe('with a quota of jobs of a workspace', () => {
    const QUOTA = 5;
    const jobs = () => queue.getJobCountByTypes('waiting', 'prioritized', 'delayed');
    beforeEach(async () => {
      await test.reopen({ WEBHOOK_MAX_QUEUED: `${QUOTA}` });
      bench = await openWebhookBench(test, 'http://127.0.0.1:9000/hook');
      queue = await test.context.queues.open(deliverWebhook);
    });

    it('leaves the other deliveries as rows until jobs have ended', async () => {
      for (let mails = 0; mails < QUOTA + 3; mails += 1) await bench.mail();
      expect(await jobs(), 'of new mail').to.equal(QUOTA);
      await insert(20);
      test.advance(OVERDUE_MS);
      expect(await requeueLostDeliveries(test.context)).to.equal(0);
      const ending: AnyJob = { ...deliverWebhook, runUnknown: async () => undefined };
      const ids = (await queue.getJobs(['waiting', 'prioritized'])).map(({ id }) => id ?? '');
      await whileWorking(test, [ending], () =>
        eventually('the jobs to end', async () => (await jobs()) === 0),
      );
      const { db } = test.context.store;
      const over = { state: 'delivered', nextAttemptAt: null } as const;
      await db.update(db.t.deliveries).set(over).where(db.among(db.t.deliveries.id, ids));
      expect(await requeueLostDeliveries(test.context), 'nothing was released').to.equal(0);
      expect(await requeueLostDeliveries(test.context), 'the sweep releases it').to.equal(QUOTA);
      expect(await jobs()).to.equal(QUOTA);
    });

    it('is released by each job that ends', async () => {
      await bench.mail();
      const { quota } = test.context.delivery;
      const { workspaceId } = test.workspace;
      expect(await quota.sample(workspaceId)).to.have.length(1);
      const { id, mailboxId } = bench.webhook;
      await test.context.store.query(removeWebhook, mailboxId, id);
      await test.work(deliverWebhook);
      expect(await quota.sample(workspaceId)).to.deep.equal([]);
    });

    it('does not hold back the jobs of another workspace', async () => {
      const { quota } = test.context.delivery;
      const ids = (name: string) => Array.from({ length: QUOTA }, (_, n) => `${name}-${n}`);
      expect(await quota.reserve('wsp_a', [...ids('a'), 'more'], true)).to.have.property(
        'size',
        QUOTA,
      );
      expect(await quota.reserve('wsp_b', ids('b'), true)).to.have.property('size', QUOTA);
      await quota.release('wsp_a', ids('a'));
      expect(await quota.reserve('wsp_a', ['newer'], true), 'behind "more"').to.have.property(
        'size',
        0,
      );
      expect(await quota.reserve('wsp_a', ['more'], false)).to.have.property('size', 1);
    });
  });

  it('removes deliveries after eight days with their attempts, unless they are pending, or held with an existing message', async () => {
    const { db } = test.context.store;
    const old = firstId('delivery', test.context.now() - 8 * DAY_MS);
    const id = (end: number) => `${old}000000000000000${end}`;
    const [over, held, pending, inFlight, kept] = [id(0), id(1), id(2), id(3), id(4)];
    await one({ id: over, state: 'delivered', nextAttemptAt: null });
    await one({ id: held, state: 'held', nextAttemptAt: null });
    const messageId = await storeDirectly(test.context, bench.webhook.mailboxId, at(0).getTime());
    const owed = (await bench.deliveries()).find((one) => one.messageId === messageId);
    await one({ id: kept, state: 'held', nextAttemptAt: null, messageId });
    await one({ id: pending, nextAttemptAt: at(DAY_MS) });
    await one({ id: inFlight, state: 'in_flight', leaseToken: 'x', leaseUntil: at(10_000) });
    const recent = await one({ state: 'delivered', nextAttemptAt: null });
    const attempts = [over, recent.id].map((deliveryId) => ({
      ...{ id: `atm_${deliveryId}`, deliveryId, number: 1, startedAt: at(0), queueDelayMs: 0 },
      url: 'http://127.0.0.1:9000/hook',
    }));
    await test.context.store.transaction((tx) => insertIgnoring(tx.t.deliveryAttempts, attempts));
    await test.run(expireMessages);
    const left = (await db.select().from(db.t.deliveries)).map(({ id }) => id);
    expect(left).to.have.members([pending, inFlight, kept, owed!.id, recent.id]);
    const made = await db.select().from(db.t.deliveryAttempts);
    expect(made.map(({ deliveryId }) => deliveryId)).to.deep.equal([recent.id]);
  });

  it('is scheduled in the workers', async () => {
    const quick = { ...sweepDeliveries, every: 50 };
    await whileWorking(test, [sweepDeliveries], async () => {
      await test.context.queues.schedule(quick);
      const delivery = await one();
      test.advance(OVERDUE_MS);
      await eventually('the job', async () => (await stateOf(delivery)) === 'prioritized');
    });
  });
});
