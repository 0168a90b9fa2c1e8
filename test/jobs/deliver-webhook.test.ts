import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { deliverWebhook } from '../../jobs/deliver-webhook.js';
import { type TestContext, openTestContext } from '../support/context.js';
import { type Receiver, openReceiver } from '../support/receiver.js';
import { QUICK_WEBHOOKS, type WebhookBench, openWebhookBench } from '../support/webhooks.js';
import { whileWorking } from '../support/workers.js';

describe('webhook deliveries', () => {
  let test: TestContext;
  let receiver: Receiver;
  let bench: WebhookBench;

  beforeEach(async () => {
    test = await openTestContext(QUICK_WEBHOOKS);
    receiver = await openReceiver();
    bench = await openWebhookBench(test, receiver.url);
  });
  afterEach(async () => {
    await receiver.close();
    await test.close();
  });

  const working = (during: () => Promise<unknown>) => whileWorking(test, [deliverWebhook], during);

  it('carry the message, signed so that standardwebhooks verifies it', async () => {
    await working(async () => {
      const id = await bench.mail(
        'From: Zoë <zoe@b.test>\r\nTo: box@one.test\r\nSubject: =?utf-8?Q?Caf=C3=A9_=F0=9F=90=9E?=\r\n' +
          'Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße 🐞 漢字\r\n',
      );
      const { headers, body } = await receiver.request(1);
      expect(headers).to.include({ 'content-type': 'application/json', 'webhook-id': id });
      const payload = new Webhook(bench.webhook.secret).verify(body, headers) as object;
      expect(payload).to.deep.include({ event: 'message.received', mailbox: 'box' });
      expect(payload).to.have.property('message').that.includes({
        id,
        from: 'zoe@b.test',
        subject: 'Café 🐞',
        text: 'Grüße 🐞 漢字\n',
        html: '',
      });
      await bench.settled('delivered');
    });
    expect(await bench.attempts()).to.have.length(1);
  });

  it('are tried six times, on schedule, and then abandoned', async () => {
    receiver.answer(500);
    await working(async () => {
      await bench.mail();
      await bench.settled('abandoned');
    });
    expect(receiver.received).to.have.length(6);
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    expect(ids.size).to.equal(1);
    const attempts = await bench.attempts();
    expect(attempts.map(({ outcome }) => outcome)).to.deep.equal(Array(6).fill('http_error'));
    attempts.slice(1).forEach(({ startedAt }, index) => {
      const before = attempts[index]!;
      expect(startedAt.getTime(), `attempt ${index + 2}`).to.be.at.least(
        before.nextAttemptAt!.getTime(),
      );
      const delay = [20, 40, 60, 80, 100][index]!;
      const ended = before.startedAt.getTime() + before.durationMs!;
      expect(before.nextAttemptAt!.getTime() - ended).to.be.at.least(delay - 1);
    });
  });
});
