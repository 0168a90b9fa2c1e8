import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CONTRACT } from '../../../api/contract/contract.ts';
import { acquireLease } from '../../../core/delivery/lease.ts';
import { deleteMessage } from '../../../core/messages/delete.ts';
import { deliverWebhook, deliveryRecovery } from '../../../jobs/deliver-webhook.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import {
  QUICK_WEBHOOKS,
  type WebhookBench,
  openWebhookBench,
} from '../../support/context/webhooks.ts';
import { whileWorking, workOff } from '../../support/context/workers.ts';
import { service } from '../../support/service.ts';

interface Shown {
  id: string;
  state: string;
  messageId: string;
  attempts: Record<string, unknown>[];
}

describe('the delivery log over HTTP', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  const { api } = test;
  let receiver: Receiver;
  let bench: WebhookBench;
  let path: string;

  beforeEach(async () => {
    receiver = await openReceiver();
    bench = await openWebhookBench(test, receiver.url);
    path = `/api/mailboxes/box/webhooks/${bench.webhook.id}`;
  });
  afterEach(async () => {
    await receiver.close();
  });

  const working = (during: () => Promise<unknown>) =>
    whileWorking(test, [deliverWebhook, deliveryRecovery], during);
  const pause = () => api.patch(path).send({ active: false }).expect(200);
  const newest = async () => (await bench.deliveries()).at(-1)!;

  it('shows an attempt whose process died as interrupted, even if it is not resumed', async () => {
    const messageId = await bench.mail();
    const { id } = await newest();
    const at = test.context.now();
    const times = { now: new Date(at), leaseUntil: new Date(at + 20_000) };
    await test.context.delivery.writer.run((tx) => acquireLease(tx, id, times));
    await deleteMessage(test.context, test.caller, 'box', messageId);
    const shown = async () => {
      const { body } = await api.get(`${path}/deliveries/${id}`).expect(200);
      return body as Shown;
    };
    expect((await shown()).attempts[0]).to.include({ outcome: null });
    test.advance(20_001);
    expect(await shown()).to.include({ state: 'cancelled' });
    expect((await shown()).attempts[0]).to.include({ outcome: 'interrupted' });
  });

  describe('GET .../deliveries', () => {
    it('200: deliveries with their attempts, newest first', async () => {
      receiver.answer((_req, res) => res.writeHead(503, { 'retry-after': '7' }).end('busy'));
      await working(async () => {
        await bench.mail();
        await eventually('a failure', async () => (await bench.attempts())[0]?.outcome);
        receiver.answer(200);
        await bench.settled('delivered');
        await bench.mail();
        await bench.settled('delivered');
      });
      const { body } = await api.get(`${path}/deliveries`).expect(200);
      const shown = body.deliveries as Shown[];
      expect(shown.map(({ id }) => id)).to.deep.equal(
        (await bench.deliveries()).map(({ id }) => id).reverse(),
      );
      expect(shown[1]).to.deep.include({
        webhookId: bench.webhook.id,
        event: 'message.received',
        trigger: 'event',
        redeliveryOf: null,
        state: 'delivered',
        reason: null,
        nextAttemptAt: null,
      });
      const [failed, delivered] = [shown[1]!.attempts[0]!, shown[1]!.attempts.at(-1)!];
      expect(failed).to.include({
        ...{ number: 1, outcome: 'http_error', statusCode: 503, retryAfterMs: 7000 },
        ...{ excerpt: 'busy', url: receiver.url },
      });
      expect(failed.payloadBytes).to.equal(receiver.received[0]!.body.length);
      expect(failed.nextAttemptAt).to.be.a('string');
      expect(delivered).to.include({ outcome: 'delivered', statusCode: 200, nextAttemptAt: null });
    });

    it('200: page by page, and by state', async () => {
      for (let n = 0; n < 5; n += 1) await bench.mail();
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const query: string = after === null ? '' : `&after=${after}`;
        const { body } = await api.get(`${path}/deliveries?limit=2${query}`).expect(200);
        seen.push(...(body.deliveries as Shown[]).map(({ id }) => id));
        after = body.nextCursor as string | null;
      } while (after !== null);
      expect(seen).to.deep.equal((await bench.deliveries()).map(({ id }) => id).reverse());

      await pause();
      await bench.mail();
      const held = await api.get(`${path}/deliveries?state=held`).expect(200);
      expect((held.body.deliveries as Shown[]).map(({ state }) => state)).to.deep.equal(['held']);
      const none = await api.get(`${path}/deliveries?state=delivered`).expect(200);
      expect(none.body).to.deep.equal({ deliveries: [], nextCursor: null });
    });

    it('400: the cursor of a list of messages', async () => {
      await bench.mail();
      await bench.mail();
      const { body } = await api.get('/api/mailboxes/box/messages?limit=1').expect(200);
      await api.get(`${path}/deliveries?after=${body.nextCursor}`).expect(400);
    });
  });

  describe('GET .../deliveries/:deliveryId', () => {
    it('200: one without attempts yet', async () => {
      const messageId = await bench.mail();
      const { id } = await newest();
      const { body } = await api.get(`${path}/deliveries/${id}`).expect(200);
      expect(body).to.deep.include({ id, messageId, state: 'pending', attempts: [] });
      expect(body.nextAttemptAt).to.be.a('string');
    });
  });

  it('durationMs includes the response body', async () => {
    const BODY_MS = 400;
    receiver.answer((_req, res) => {
      res.writeHead(200);
      res.flushHeaders();
      setTimeout(() => res.end('done'), BODY_MS);
    });
    await working(async () => {
      await bench.mail();
      await bench.settled('delivered');
    });
    const { id } = await newest();
    const { body } = await api.get(`${path}/deliveries/${id}`).expect(200);
    // The timer of another process can fire slightly early.
    expect(body.attempts[0].durationMs).to.be.at.least(BODY_MS - 10);
    expect(readFileSync(CONTRACT, 'utf8')).to.match(
      /durationMs:[^:]*: \['integer', 'null'\]\s*description: [^:]*to the end of\s+the\s+response/,
    );
  });

  describe('POST .../deliveries/:deliveryId/redeliver', () => {
    it('202: redelivered with the same webhook-id and a new signature, closing the original', async () => {
      receiver.answer(500);
      await working(async () => {
        const messageId = await bench.mail();
        const original = await bench.settled('abandoned');
        receiver.answer(200);
        const { body } = await api.post(`${path}/deliveries/${original.id}/redeliver`).expect(202);
        expect(body).to.include({ trigger: 'manual', redeliveryOf: original.id, messageId });
        await bench.settled('delivered');
        const again = await api.get(`${path}/deliveries/${original.id}`).expect(200);
        expect(again.body).to.include({ state: 'delivered', reason: 'redelivered' });
      });
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(new Set(ids).size).to.equal(1);
    });

    it('202: one attempt, without an effect on the schedule of the original', async () => {
      await bench.mail();
      const original = await newest();
      receiver.answer(500);
      const { body } = await api.post(`${path}/deliveries/${original.id}/redeliver`).expect(202);
      await working(() => bench.settled('abandoned'));
      const manual = await api.get(`${path}/deliveries/${body.id}`).expect(200);
      expect(manual.body.attempts).to.have.length(1);
    });

    it('409: while the webhook is paused', async () => {
      await bench.mail();
      await pause();
      const answer = await api.post(`${path}/deliveries/${(await newest()).id}/redeliver`);
      expect(answer.status).to.equal(409);
      expect(answer.body.code).to.equal('webhook_paused');
    });

    it('409: after the message was deleted', async () => {
      const messageId = await bench.mail();
      await deleteMessage(test.context, test.caller, 'box', messageId);
      const answer = await api.post(`${path}/deliveries/${(await newest()).id}/redeliver`);
      expect(answer.status).to.equal(409);
      expect(answer.body.code).to.equal('message_gone');
      expect(answer.body.error).to.include('was deleted or has expired');
    });

    it('409: for a test event', async () => {
      const { body } = await api.post(`${path}/test`).expect(202);
      const answer = await api.post(`${path}/deliveries/${body.id}/redeliver`);
      expect(answer.status).to.equal(409);
      expect(answer.body.error).to.include('Test events cannot be redelivered');
    });
  });

  describe('POST .../test', () => {
    it('202: a sample message in one attempt, even while the webhook is paused', async () => {
      await pause();
      receiver.answer(500);
      const { body } = await api.post(`${path}/test`).expect(202);
      expect(body).to.include({ trigger: 'test', state: 'pending' });
      expect(body.messageId).to.match(/^test_/);
      await working(() => bench.settled('abandoned'));
      expect(receiver.received).to.have.length(1);
      const payload = JSON.parse(receiver.received[0]!.body.toString()) as object;
      expect(payload).to.deep.include({ event: 'message.received', mailbox: 'box' });
      const { body: webhooks } = await api.get('/api/mailboxes/box/webhooks').expect(200);
      expect(webhooks[0]).to.include({ failingSince: null, lastSuccessAt: null });
    });
  });

  describe('POST .../recover', () => {
    it('202: held and abandoned deliveries whose message exists', async () => {
      receiver.answer(500);
      await working(async () => {
        await bench.mail();
        await bench.settled('abandoned');
        await pause();
        await bench.mail();
        const deleted = await bench.mail();
        await deleteMessage(test.context, test.caller, 'box', deleted);
        await api.patch(path).send({ active: true }).expect(200);
        receiver.answer(200);
        const { body } = await api.post(`${path}/recover`).expect(202);
        expect(body).to.deep.equal({ recovered: 2 });
        await eventually('both', async () =>
          (await bench.deliveries()).slice(0, 2).every(({ state }) => state === 'delivered'),
        );
      });
      expect((await newest()).state).to.equal('cancelled');
    });

    it('202: only later ones', async () => {
      await pause();
      await bench.mail();
      test.advance(1000);
      const since = new Date(test.context.now()).toISOString();
      test.advance(1000);
      await bench.mail();
      await api.patch(path).send({ active: true }).expect(200);
      const { body } = await api.post(`${path}/recover`).send({ since }).expect(202);
      expect(body).to.deep.equal({ recovered: 1 });
      await workOff(test, deliveryRecovery);
      expect((await bench.deliveries()).map(({ state }) => state)).to.deep.equal([
        'held',
        'pending',
      ]);
    });

    it('503: while Redis is unavailable, and nothing is released', async () => {
      await pause();
      await bench.mail();
      await api.patch(path).send({ active: true }).expect(200);
      await test.redis.kill();
      await api.post(`${path}/recover`).expect(503);
      await test.redis.start();
      expect(await newest()).to.include({ state: 'held' });
    });

    it('409: while the webhook is paused', async () => {
      await pause();
      const answer = await api.post(`${path}/recover`).expect(409);
      expect(answer.body.code).to.equal('webhook_paused');
    });
  });

  it('202: a test event is sent later while Redis is unavailable', async () => {
    await test.redis.kill();
    await api.post(`${path}/test`).expect(202);
    await test.redis.start();
    expect((await newest()).state).to.equal('pending');
  });
});
