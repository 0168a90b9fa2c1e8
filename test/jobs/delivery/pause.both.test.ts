import { expect } from 'chai';
import { redeliver, sendTestEvent } from '../../../core/delivery/delivery-log.ts';
import { recoverDeliveries } from '../../../core/delivery/recover.ts';
import { deleteMessage } from '../../../core/messages/delete.ts';
import type { LiveEvent } from '../../../core/events/event.ts';
import { changeWebhook, requireWebhookRow, rotateSecret } from '../../../core/webhooks/webhooks.ts';
import { requeueLostDeliveries } from '../../../core/delivery/requeue-lost.ts';
import { newDelivery } from '../../../core/delivery/fan-out.ts';
import { insertIgnoring } from '../../../db/store.ts';
import type { DeliveryRow } from '../../../db/statements/deliveries.ts';
import { deliverWebhook, deliveryRecovery as recoverJob } from '../../../jobs/deliver-webhook.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { beforeSending } from '../../support/context/fire.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import { rejectionCodes } from '../../support/mocha/rejection.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Two attempts per delivery, an hour apart; messages outlive the day after which a pause is
 * possible.
 */
const ENV = {
  ...QUICK_WEBHOOKS,
  WEBHOOK_RETRY_SCHEDULE_MS: String(HOUR_MS),
  MESSAGE_TTL_MS: String(30 * DAY_MS),
};

describe('a webhook', () => {
  const test = service({ env: ENV });
  const bench = webhookTest(test);
  const { receiver, newest, row, owed, attempt } = bench;
  /** Live events of the workspace. */
  let told: LiveEvent[];

  const listen = async () => {
    told = [];
    const who = { workspaceId: test.caller.workspace.id, tokenId: test.caller.token.id };
    const nothing = () => undefined;
    await test.context.events.hub.subscribe(who, undefined, {
      event: ({ event }) => told.push(event),
      reset: nothing,
      revoked: nothing,
      stopping: nothing,
    });
  };
  const isTold = async () => {
    const isPause = ({ type }: LiveEvent) => type === 'webhook.paused';
    await eventually('the pause to be told', () => told.some(isPause));
    expect(told.filter(isPause)).to.deep.equal([
      {
        type: 'webhook.paused',
        mailbox: 'box',
        mailboxId: bench.webhook.mailboxId,
        webhookId: bench.webhook.id,
      },
    ]);
  };
  const pauseOn410 = async () => {
    await bench.reopen({ WEBHOOK_PAUSE_ON_410: 'true' });
    await listen();
  };
  beforeEach(() => {
    receiver.answer(500);
    return listen();
  });

  const place = () => ({ mailboxName: 'box', webhookId: bench.webhook.id });
  const webhook = () => requireWebhookRow(test.context, test.caller, 'box', bench.webhook.id);
  const change = (what: { active?: boolean; url?: string }) =>
    changeWebhook(test.context, test.caller, 'box', bench.webhook.id, what);
  const askToRecover = (since = new Date(0)) =>
    recoverDeliveries(test.context, test.caller, place(), since);
  /** Requests a recovery and runs its job to the end. */
  const recover = async (since?: Date) => {
    const count = await askToRecover(since);
    await test.work(recoverJob);
    return count;
  };
  const stateOf = (id: string) => test.context.queues.stateOf(deliverWebhook, id);
  /** A mail whose delivery is abandoned; the clock advances by the schedule. */
  const abandon = async () => {
    const delivery = await owed();
    expect((await attempt(delivery)).kind).to.equal('retry');
    test.advance(HOUR_MS);
    expect(await attempt(delivery)).to.deep.equal({ kind: 'gave up' });
    return row(delivery.id);
  };
  const deliver = async () => {
    receiver.answer(204);
    expect(await attempt(await owed())).to.deep.equal({ kind: 'done' });
    receiver.answer(500);
  };
  /** Pauses automatically: the third delivery is abandoned one day after the first failure. */
  const pauseByFailing = async () => {
    await abandon();
    await abandon();
    test.advance(DAY_MS);
    return abandon();
  };

  describe('is paused automatically', () => {
    it('at the third abandoned delivery in a row after a day without success', async () => {
      const failingFrom = test.context.now();
      await pauseByFailing();
      const paused = await webhook();
      await isTold();
      expect(paused).to.include({ active: false, pausedReason: 'failing', abandonedInARow: 3 });
      expect(paused.failingSince!.getTime()).to.be.within(failingFrom, failingFrom + 60_000);
      const now = test.context.now();
      expect(paused.pausedAt!.getTime()).to.be.within(now - 60_000, now);
    });

    it('not at the second, however long ago the first failure was', async () => {
      await abandon();
      test.advance(10 * DAY_MS);
      await abandon();
      expect(await webhook()).to.include({ active: true, abandonedInARow: 2, pausedReason: null });
    });

    it('not within a day, however many are abandoned', async () => {
      for (let n = 0; n < 6; n += 1) await abandon();
      expect(await webhook()).to.include({ active: true, abandonedInARow: 6 });
    });

    it('not while deliveries fail but none is abandoned', async () => {
      for (let n = 0; n < 4; n += 1) {
        await attempt(await owed());
        test.advance(DAY_MS);
      }
      expect(await webhook()).to.include({ active: true, abandonedInARow: 0 });
    });

    it('not after a success, which resets the record', async () => {
      await abandon();
      await abandon();
      test.advance(DAY_MS);
      await deliver();
      expect(await webhook()).to.deep.include({ failingSince: null, abandonedInARow: 0 });
      const failingFrom = test.context.now();
      await abandon();
      await abandon();
      await abandon();
      const record = await webhook();
      expect(record).to.include({ active: true, abandonedInARow: 3 });
      expect(record.failingSince!.getTime()).to.be.at.least(failingFrom);
    });
  });

  describe('about to be paused, with a success in progress', () => {
    /** Two concurrent requests in two processes, the second of which would pause the webhook. */
    const race = async () => {
      await abandon();
      await abandon();
      const last = await owed();
      await attempt(last);
      test.advance(DAY_MS);
      const other = await owed();
      const answers: ((status: number) => void)[] = [];
      receiver.answer((_req, res) => answers.push((status) => res.writeHead(status).end()));
      const before = receiver.received.length;
      const good = attempt(other);
      await receiver.request(before + 1);
      const bad = attempt(last, await test.another());
      await receiver.request(before + 2);
      return {
        good,
        bad,
        succeed: () => {
          answers[0]!(204);
        },
        fail: () => {
          answers[1]!(500);
        },
      };
    };

    it('that ends first: there is no pause', async () => {
      const { good, bad, succeed, fail } = await race();
      succeed();
      expect(await good).to.deep.equal({ kind: 'done' });
      fail();
      expect(await bad).to.deep.equal({ kind: 'gave up' });
      expect(await webhook()).to.include({ active: true, abandonedInARow: 1 });
    });

    it('that ends second: the pause stays, and the message is delivered', async () => {
      const { good, bad, succeed, fail } = await race();
      fail();
      expect(await bad).to.deep.equal({ kind: 'gave up' });
      succeed();
      expect(await good).to.deep.equal({ kind: 'done' });
      expect(await webhook()).to.include({ active: false, pausedReason: 'failing' });
      expect(await newest()).to.include({ state: 'delivered' });
    });
  });

  describe('that responds with 410', () => {
    it('has failed like with any other status by default', async () => {
      receiver.answer(410);
      const delivery = await owed();
      expect(await attempt(delivery)).to.deep.equal({ kind: 'retry', delayMs: HOUR_MS });
      expect(await webhook()).to.include({ active: true });
    });

    describe('if configured to pause', () => {
      beforeEach(async () => {
        await pauseOn410();
        receiver.answer(410);
      });

      it('is paused at once, and the delivery held', async () => {
        const delivery = await owed();
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        await isTold();
        expect(await webhook()).to.include({ active: false, pausedReason: 'gone' });
        expect(await row(delivery.id)).to.deep.include({
          ...{ state: 'held', reason: 'webhook_paused', nextAttemptAt: null, finishedAt: null },
        });
        const [made] = await bench.attempts();
        expect(made).to.include({ outcome: 'http_error', statusCode: 410, nextAttemptAt: null });
        await change({ active: true });
        receiver.answer(204);
        expect(await recover()).to.equal(1);
        expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
        expect(await row(delivery.id)).to.include({ state: 'delivered', attempts: 2 });
      });

      it('is not paused by a test event or a redelivery', async () => {
        receiver.answer(500);
        const original = await abandon();
        receiver.answer(410);
        await sendTestEvent(test.context, test.caller, place());
        expect(await attempt(await newest())).to.deep.equal({ kind: 'gave up' });
        await redeliver(test.context, test.caller, place(), original.id);
        expect(await attempt(await newest())).to.deep.equal({ kind: 'gave up' });
        expect(await webhook()).to.include({ active: true });
      });
    });
  });

  describe('whose URL changes during a request', () => {
    let elsewhere: Receiver;
    beforeEach(async () => {
      elsewhere = await openReceiver();
    });
    afterEach(() => elsewhere.close());

    /** One delivery, during which the URL of the webhook changes. */
    const movedMeanwhile = async (status: number) => {
      receiver.answer((_req, res) => {
        void change({ url: elsewhere.url }).then(() => res.writeHead(status).end());
      });
      const delivery = await owed();
      return { delivery, fired: await attempt(delivery) };
    };
    const record = async () => {
      const { url, active, failingSince, abandonedInARow, lastSuccessAt } = await webhook();
      return { url, active, failingSince, abandonedInARow, lastSuccessAt };
    };
    const clean = () => ({
      ...{ url: elsewhere.url, active: true, failingSince: null, abandonedInARow: 0 },
    });

    it('is not affected by the response of the old receiver', async () => {
      const { delivery, fired } = await movedMeanwhile(500);
      expect(fired).to.deep.equal({ kind: 'retry', delayMs: HOUR_MS });
      expect(await record()).to.deep.equal({ ...clean(), lastSuccessAt: null });
      expect(await row(delivery.id), 'the delivery keeps its schedule').to.include({
        ...{ state: 'pending', failures: 1 },
      });
    });

    it('is not paused by a 410 of the old receiver', async () => {
      await pauseOn410();
      expect((await movedMeanwhile(410)).fired.kind).to.equal('retry');
      expect(await record()).to.deep.equal({ ...clean(), lastSuccessAt: null });
    });

    it('has no success from the old receiver', async () => {
      const { delivery } = await movedMeanwhile(204);
      expect(await row(delivery.id)).to.include({ state: 'delivered' });
      expect(await record()).to.deep.equal({ ...clean(), lastSuccessAt: null });
    });

    it('gets a clean record if the URL differs', async () => {
      await abandon();
      await change({ url: receiver.url });
      expect(await webhook()).to.include({ abandonedInARow: 1 });
      await change({ url: elsewhere.url });
      expect(await record()).to.deep.include(clean());
    });
  });

  describe('that is paused holds', () => {
    it('new deliveries, without adding jobs', async () => {
      await change({ active: false });
      expect(await webhook()).to.include({ active: false, pausedReason: 'manual' });
      const delivery = await owed();
      expect(delivery).to.deep.include({
        ...{ state: 'held', reason: 'webhook_paused', attempts: 0, nextAttemptAt: null },
      });
      expect(await stateOf(delivery.id)).to.equal('unknown');
      test.advance(DAY_MS);
      expect(await requeueLostDeliveries(test.context)).to.equal(0);
      expect(receiver.received).to.have.length(0);
    });

    it('retries when they are due', async () => {
      const delivery = await owed();
      await attempt(delivery);
      await change({ active: false });
      expect(await row(delivery.id), 'unchanged until then').to.include({
        state: 'pending',
      });
      test.advance(HOUR_MS);
      expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
      expect(await row(delivery.id)).to.include({ state: 'held', failures: 1, attempts: 1 });
      expect(receiver.received).to.have.length(1);
    });

    it('attempts that fail after the pause', async () => {
      const delivery = await owed();
      let answer: () => void = () => undefined;
      receiver.answer((_req, res) => (answer = () => res.writeHead(500).end()));
      const running = attempt(delivery);
      await receiver.request(1);
      await change({ active: false });
      answer();
      expect(await running).to.deep.equal({ kind: 'done' });
      expect(await row(delivery.id)).to.include({ state: 'held', failures: 1 });
      expect((await bench.attempts())[0]).to.include({ outcome: 'http_error', statusCode: 500 });
    });
  });

  describe('that is enabled again', () => {
    it('has a clean record, and sends nothing automatically', async () => {
      await pauseByFailing();
      const held = await owed();
      const enabled = await change({ active: true });
      expect(enabled).to.deep.include({
        ...{ active: true, pausedReason: null, pausedAt: null, failingSince: null },
      });
      expect((await webhook()).abandonedInARow).to.equal(0);
      test.advance(DAY_MS);
      expect(await requeueLostDeliveries(test.context)).to.equal(0);
      expect(await row(held.id)).to.include({ state: 'held' });
      expect(await stateOf(held.id)).to.equal('unknown');
      expect(await owed()).to.include({ state: 'pending' });
    });

    it('is required before recovery and redelivery', async () => {
      await change({ active: false });
      const held = await owed();
      const codes = await rejectionCodes([
        () => recover(),
        () => redeliver(test.context, test.caller, place(), held.id),
      ]);
      expect(codes).to.deep.equal(['webhook_paused', 'webhook_paused']);
      expect(await row(held.id)).to.include({ state: 'held' });
    });
  });

  describe('that is recovered', () => {
    it('sends held and abandoned deliveries in a new job with a fresh schedule', async () => {
      const queue = await test.context.queues.open(deliverWebhook);
      let abandoned!: DeliveryRow;
      await bench.working(async () => {
        abandoned = await owed();
        const job = await eventually('the retry', async () => (await queue.getDelayed())[0]);
        test.advance(HOUR_MS);
        await job.promote();
        await eventually('the end', async () => (await stateOf(abandoned.id)) === 'failed');
      });
      await change({ active: false });
      const held = await owed();
      await change({ active: true });
      expect(await recover()).to.equal(2);
      for (const { id } of [abandoned, held]) {
        expect(await stateOf(id)).to.equal('waiting');
        expect(await row(id)).to.deep.include({
          ...{ state: 'pending', failures: 0, interruptions: 0, finishedAt: null, reason: null },
        });
      }
      expect(await recover(), 'none are left').to.equal(0);
      receiver.answer(204);
      await bench.working(() =>
        eventually('both to be delivered', async () =>
          (await bench.deliveries()).every(({ state }) => state === 'delivered'),
        ),
      );
      const numbers = (await bench.attempts()).map(({ number }) => number);
      expect(numbers, 'counted on').to.deep.equal([1, 2, 3, 1]);
    });

    it('omits older deliveries, test events and deleted messages', async () => {
      const old = await abandon();
      test.advance(1000);
      const since = new Date(test.context.now());
      const recent = await abandon();
      const deleted = await abandon();
      await sendTestEvent(test.context, test.caller, place());
      const test_ = await newest();
      await attempt(test_);
      await redeliver(test.context, test.caller, place(), recent.id);
      const manual = await newest();
      await attempt(manual);
      await deleteMessage(test.context, test.caller, 'box', deleted.messageId);
      expect(await recover(since)).to.equal(1);
      const states = await Promise.all(
        [old, recent, deleted, test_, manual].map(async ({ id }) => (await row(id)).state),
      );
      expect(states).to.deep.equal([
        ...['abandoned', 'pending', 'abandoned', 'abandoned', 'abandoned'],
      ]);
      test.advance(30 * DAY_MS);
      expect(await recover(), 'the messages have expired').to.equal(0);
    });

    it('sends more than one batch', async () => {
      const messageId = await bench.mail();
      const now = new Date(test.context.now());
      const rows = Array.from({ length: 201 }, () =>
        newDelivery({
          ...{ webhookId: bench.webhook.id, messageId, trigger: 'event', held: true, now },
        }),
      );
      await test.context.store.transaction((tx) => insertIgnoring(tx.t.deliveries, rows));
      expect(await recover()).to.equal(201);
      const queue = await test.context.queues.open(deliverWebhook);
      expect(await queue.getJobCountByTypes('waiting', 'prioritized', 'delayed')).to.equal(202);
      expect(await queue.getWaitingCount(), 'in the way of others').to.equal(21);
    });
  });

  describe('that is changed is followed', () => {
    it('by retries, to the new URL', async () => {
      const other = await openReceiver();
      const delivery = await owed();
      await attempt(delivery);
      await change({ url: other.url });
      test.advance(HOUR_MS);
      expect(await attempt(delivery)).to.deep.equal({ kind: 'done' });
      expect(receiver.received).to.have.length(1);
      expect(other.received).to.have.length(1);
      expect((await bench.attempts()).map(({ url }) => url)).to.deep.equal([
        receiver.url,
        other.url,
      ]);
      await other.close();
    });

    for (const [what, apply] of [
      ['the URL', () => change({ url: `${receiver.url}?changed` })],
      ['the secret', () => rotateSecret(test.context, test.caller, 'box', bench.webhook.id, 0)],
    ] as const) {
      it(`by a request about to be sent, if it is ${what}`, async () => {
        receiver.answer(204);
        let looks = 0;
        const context = beforeSending(test.context, async () => {
          looks += 1;
          if (looks > 1) return;
          await apply();
          expect(receiver.received).to.have.length(0);
        });
        await bench.working(async () => {
          await bench.mail();
          await bench.settled('delivered');
        }, context);
        expect(looks, 'at once again').to.equal(2);
        expect(receiver.received).to.have.length(1);
        expect(await newest()).to.include({ attempts: 1, failures: 0, interruptions: 0 });
        expect(await bench.attempts()).to.have.length(1);
      });
    }
  });

  describe('on request:', () => {
    const record = async () => {
      const { failingSince, abandonedInARow, active, lastSuccessAt } = await webhook();
      return { failingSince, abandonedInARow, active, lastSuccessAt };
    };

    it('a test event leaves no trace in the record, also while paused', async () => {
      await abandon();
      await abandon();
      test.advance(DAY_MS);
      const before = await record();
      for (const [status, kind] of [
        [500, 'gave up'],
        [204, 'done'],
      ] as const) {
        receiver.answer(status);
        await sendTestEvent(test.context, test.caller, place());
        expect((await attempt(await newest())).kind).to.equal(kind);
        expect(await record()).to.deep.equal(before);
      }
      await change({ active: false });
      await sendTestEvent(test.context, test.caller, place());
      expect((await attempt(await newest())).kind).to.equal('done');
      expect(await newest()).to.include({ state: 'delivered', trigger: 'test' });
      expect(receiver.received.at(-1)!.headers['webhook-id']).to.match(/^test_/);
    });

    it('a failed redelivery leaves no trace, nor on the delivery it repeats', async () => {
      const delivery = await owed();
      await attempt(delivery);
      const before = [await record(), await row(delivery.id)];
      await redeliver(test.context, test.caller, place(), delivery.id);
      expect(await attempt(await newest())).to.deep.equal({ kind: 'gave up' });
      expect([await record(), await row(delivery.id)]).to.deep.equal(before);
    });

    it('a successful redelivery closes the delivery it repeats', async () => {
      const delivery = await owed();
      await attempt(delivery);
      receiver.answer(204);
      await redeliver(test.context, test.caller, place(), delivery.id);
      const manual = await newest();
      expect(manual).to.include({ trigger: 'manual', messageId: delivery.messageId });
      expect(await attempt(manual)).to.deep.equal({ kind: 'done' });
      expect(await row(delivery.id)).to.deep.include({
        ...{ state: 'delivered', reason: 'redelivered', nextAttemptAt: null },
      });
      test.advance(HOUR_MS);
      expect(await attempt(delivery), 'its retry').to.deep.equal({ kind: 'done' });
      expect(receiver.received).to.have.length(2);
    });

    for (const [status, outcome] of [
      [500, 'http_error'],
      [204, 'delivered'],
    ] as const) {
      it(`a successful redelivery closes an attempt that then ends with ${status}`, async () => {
        const delivery = await owed();
        let answer: () => void = () => undefined;
        receiver.answer((_req, res) => (answer = () => res.writeHead(status).end()));
        const running = attempt(delivery);
        await receiver.request(1);
        receiver.answer(204);
        await redeliver(test.context, test.caller, place(), delivery.id);
        expect(await attempt(await newest())).to.deep.equal({ kind: 'done' });
        answer();
        expect(await running).to.deep.equal({ kind: 'done' });
        expect(await row(delivery.id)).to.include({ state: 'delivered' });
        const attempts = (await bench.attempts()).filter(
          ({ deliveryId }) => deliveryId === delivery.id,
        );
        expect(attempts.map((made) => made.outcome)).to.deep.equal([outcome]);
        expect(await webhook()).to.include({ abandonedInARow: 0, failingSince: null });
      });
    }
  });
});
