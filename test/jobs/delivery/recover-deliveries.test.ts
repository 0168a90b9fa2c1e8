import { expect } from 'chai';
import { recoverDeliveries } from '../../../core/delivery/recover.ts';
import { changeWebhook } from '../../../core/webhooks/webhooks.ts';
import { newDelivery } from '../../../core/delivery/fan-out.ts';
import type { AnyJob } from '../../../core/queue/job.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { deliverWebhook, deliveryRecovery as job } from '../../../jobs/deliver-webhook.ts';
import { service } from '../../support/service.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';

const HOUR_MS = 3_600_000;

describe('recovery of deliveries', () => {
  const test = service({
    env: { ...QUICK_WEBHOOKS, WEBHOOK_RETRY_SCHEDULE_MS: String(HOUR_MS) },
  });
  const bench = webhookTest(test);
  const { receiver, row, attempt } = bench;
  beforeEach(() => {
    receiver.answer(500);
  });

  const place = () => ({ mailboxName: 'box', webhookId: bench.webhook.id });
  const ask = () => recoverDeliveries(test.context, test.caller, place(), new Date(0));
  /** A mail with this many held deliveries in addition to its pending one. */
  const hold = async (count: number) => {
    const messageId = await bench.mail();
    const now = new Date(test.context.now());
    const owed = { webhookId: bench.webhook.id, messageId, trigger: 'event', now } as const;
    const rows = Array.from({ length: count }, () => newDelivery({ ...owed, held: true }));
    await test.context.store.transaction((tx) => insertIgnoring(tx.t.deliveries, rows));
    return rows;
  };
  const numberOf = async (wanted: string) =>
    (await bench.deliveries()).filter(({ state }) => state === wanted).length;
  /** The payload of the waiting job. */
  const waiting = async () => {
    const [first] = await (await test.context.queues.open(job)).getWaiting();
    return first && job.payload.parse(first.data);
  };
  let runs: { released: number; askedAt: number; held: number }[];
  beforeEach(() => (runs = []));
  /** The same job. Records how many deliveries were released before a run, and held after it. */
  const watched: AnyJob = {
    ...job,
    runUnknown: async (context, payload, ...rest) => {
      await job.runUnknown(context, payload, ...rest);
      const { released, askedAt } = job.payload.parse(payload);
      runs.push({ released, askedAt, held: await numberOf('held') });
    },
  };

  it('counts in the request and releases in a job', async () => {
    await hold(3);
    expect(await ask()).to.equal(3);
    expect(await numberOf('held')).to.equal(3);
    await test.work(job);
    expect(await numberOf('held')).to.equal(0);
    expect(await numberOf('pending')).to.equal(4);
    const queue = await test.context.queues.open(deliverWebhook);
    expect(await queue.getJobCountByTypes('waiting', 'prioritized', 'delayed')).to.equal(4);
  });

  it('adds no job if there is nothing to release', async () => {
    expect(await ask()).to.equal(0);
    expect(await waiting()).to.equal(undefined);
  });

  it('releases 2,000 deliveries per run and leaves the rest to the next run', async () => {
    await hold(2150);
    expect(await ask()).to.equal(2150);
    const { askedAt } = (await waiting())!;
    await test.work(watched);
    expect(runs).to.deep.equal([
      { released: 0, askedAt, held: 150 },
      { released: 2000, askedAt, held: 0 },
    ]);
  });

  it('adds the next run once, however often a run is repeated', async () => {
    await hold(2001);
    await ask();
    await test.run(watched, await waiting());
    expect(await numberOf('held')).to.equal(0);
    expect(runs.map(({ released }) => released)).to.deep.equal([0, 0, 2000]);
  });

  it('does not release deliveries abandoned after the request', async () => {
    const [held] = await hold(1);
    await ask();
    const payload = await waiting();
    await test.work(job);
    const released = await row(held!.id);
    expect((await attempt(released)).kind).to.equal('retry');
    test.advance(HOUR_MS);
    expect(await attempt(released)).to.deep.equal({ kind: 'gave up' });
    await test.run(job, payload);
    expect(await row(held!.id)).to.include({ state: 'abandoned' });
    expect(await ask(), 'a new request').to.equal(1);
  });

  it('ends without a release if the webhook is paused before the job runs', async () => {
    await hold(1);
    await ask();
    await changeWebhook(test.context, test.caller, 'box', bench.webhook.id, { active: false });
    await test.work(job);
    expect(await numberOf('held')).to.equal(1);
  });
});
