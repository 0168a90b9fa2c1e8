import { expect } from 'chai';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { QUICK_WEBHOOKS, openWebhookBench } from '../../support/context/webhooks.ts';
import { whileWorking } from '../../support/context/workers.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';

interface Payload {
  message: { id: string };
  extracted?: object;
}

describe('webhooks that include extracted', () => {
  let test: TestContext;
  let receiver: Receiver;

  beforeEach(async () => {
    test = await openTestContext(QUICK_WEBHOOKS);
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await receiver.close();
    await test.close();
  });

  it('receive the object of GET .../extracted; others do not', async () => {
    const bench = await openWebhookBench(test, receiver.url);
    await registerWebhook(test.context, test.caller, 'box', receiver.url, ['extracted']);
    await whileWorking(test, [deliverWebhook], async () => {
      const id = await bench.mail(
        'From: a@b.test\r\nSubject: Hi\r\n\r\nYour code is 482913\r\nhttps://b.test/x\r\n',
      );
      const requests = [await receiver.request(1), await receiver.request(2)];
      const payloads = requests.map(({ body }) => JSON.parse(body.toString()) as Payload);
      const answer = await openTestApi(test).get(`/api/mailboxes/box/messages/${id}/extracted`);
      expect(answer.body).to.include({ code: '482913' });
      expect(payloads.map(({ message }) => message.id)).to.deep.equal([id, id]);
      const extracted = payloads.map((payload) => payload.extracted);
      expect(extracted).to.have.deep.members([undefined, answer.body]);
    });
  });

  it('receive the bytes of GET .../event', async () => {
    const bench = await openWebhookBench(test, receiver.url);
    await registerWebhook(test.context, test.caller, 'box', receiver.url, ['extracted']);
    await whileWorking(test, [deliverWebhook], async () => {
      const id = await bench.mail(
        'From: a@b.test\r\nSubject: Grüße\r\n\r\nYour code is 482913\r\n',
      );
      const bodies = [await receiver.request(1), await receiver.request(2)].map(({ body }) =>
        body.toString(),
      );
      const path = `/api/mailboxes/box/messages/${id}/event`;
      const get = async (query: string) =>
        (
          await openTestApi(test)
            .get(path + query)
            .expect(200)
        ).text;
      expect(bodies).to.have.members([await get(''), await get('?include=extracted')]);
    });
  });

  it('show it in their JSON, which rejects unknown parts', async () => {
    await openWebhookBench(test, receiver.url);
    const api = openTestApi(test);
    const path = '/api/mailboxes/box/webhooks';
    const url = 'https://hooks.example.com/a';
    const { body } = await api
      .post(path)
      .send({ url, include: ['extracted'] })
      .expect(201);
    expect(body.include).to.deep.equal(['extracted']);
    expect((await api.get(path)).body[0].include).to.deep.equal(['extracted']);
    await api
      .post(path)
      .send({ url, include: ['all'] })
      .expect(400);
  });
});
