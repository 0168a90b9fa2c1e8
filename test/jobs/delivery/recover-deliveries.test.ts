import { expect } from 'chai';
import { recoverDeliveries } from '../../../core/delivery/recover.ts';
import { changeWebhook } from '../../../core/webhooks/webhooks.ts';
import { newDelivery } from '../../../core/delivery/fan-out.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { deliverWebhook, deliveryRecovery as job } from '../../../jobs/deliver-webhook.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { fire } from '../../support/context/fire.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import {
  QUICK_WEBHOOKS,
  type WebhookBench,
  openWebhookBench,
} from '../../support/context/webhooks.ts';
import { queueOf, workOff } from '../../support/context/workers.ts';

const HOUR_MS = 3_600_000;
const RUN = { jobId: 'job', start: 1, stalls: 0 };

describe('recovery of deliveries', () => {
  let test: TestContext;
  let receiver: Receiver;
  let bench: WebhookBench;

  beforeEach(async () => {
    test = await openTestContext({
      ...{ ...QUICK_WEBHOOKS, WEBHOOK_RETRY_SCHEDULE_MS: String(HOUR_MS) },
    });
    receiver = await openReceiver();
    bench = await openWebhookBench(test, receiver.url);
    receiver.answer(500);
  });
  afterEach(async () => {
    await receiver.close();
    await test.close();
  });

  const ask = () =>
    recoverDeliveries(
      ...([test.context, test.caller] as const),
      { mailboxName: 'box', webhookId: bench.webhook.id },
      new Date(0),
    );
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
  const row = async (id: string) => (await bench.deliveries()).find((one) => one.id === id)!;
  /** Payloads of the waiting jobs, in their order. */
  const waiting = async () => {
    const queue = queueOf(test.context, job);
    try {
      const jobs = await queue.getJobs(['waiting'], 0, -1, true);
      return jobs.map(({ data }) => job.payload.parse(data));
    } finally {
      await queue.close();
    }
  };

  it('counts in the request and releases in a job', async () => {
    await hold(3);
    expect(await ask()).to.equal(3);
    expect(await numberOf('held')).to.equal(3);
    await workOff(test, job);
    expect(await numberOf('held')).to.equal(0);
    expect(await numberOf('pending')).to.equal(4);
    const queue = queueOf(test.context, deliverWebhook);
    expect(await queue.getJobCountByTypes('waiting', 'prioritized', 'delayed')).to.equal(4);
    await queue.close();
  });

  it('adds no job if there is nothing to release', async () => {
    expect(await ask()).to.equal(0);
    expect(await waiting()).to.be.empty;
  });

  it('releases 2,000 deliveries per run and leaves the rest to the next run', async () => {
    await hold(2150);
    expect(await ask()).to.equal(2150);
    const [first] = await waiting();
    await job.run(test.context, first!, RUN);
    expect(await numberOf('held')).to.equal(150);
    const [, next] = await waiting();
    expect(next).to.include({ released: 2000, askedAt: first!.askedAt });
    await job.run(test.context, next!, RUN);
    expect(await numberOf('held')).to.equal(0);
    expect(await waiting(), 'and no run after that').to.have.length(2);
  });

  it('adds the next run once, however often a run is repeated', async () => {
    await hold(2001);
    await ask();
    const [first] = await waiting();
    await job.run(test.context, first!, RUN);
    await job.run(test.context, first!, RUN);
    expect(await numberOf('held')).to.equal(0);
    expect(await waiting()).to.have.length(2);
  });

  it('does not release deliveries abandoned after the request', async () => {
    const [held] = await hold(1);
    await ask();
    const [payload] = await waiting();
    await job.run(test.context, payload!, RUN);
    expect((await fire(test.context, await row(held!.id))).kind).to.equal('retry');
    test.advance(HOUR_MS);
    expect(await fire(test.context, await row(held!.id))).to.deep.equal({ kind: 'gave up' });
    await job.run(test.context, payload!, RUN);
    expect(await row(held!.id)).to.include({ state: 'abandoned' });
    expect(await ask(), 'a new request').to.equal(1);
  });

  it('ends without a release if the webhook is paused before the job runs', async () => {
    await hold(1);
    await ask();
    await changeWebhook(test.context, test.caller, 'box', bench.webhook.id, { active: false });
    await workOff(test, job);
    expect(await numberOf('held')).to.equal(1);
  });
});
