import { expect } from 'chai';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import { service } from '../../support/service.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';

interface Payload {
  message: { id: string };
  extracted?: object;
}

describe('webhooks that include extracted', () => {
  const test = service({ env: QUICK_WEBHOOKS });
  const { mail, receiver, working } = webhookTest(test);
  const { api } = test;

  it('receive the object of GET .../extracted; others do not', async () => {
    await registerWebhook(test.context, test.caller, 'box', receiver.url, ['extracted']);
    await working(async () => {
      const id = await mail(
        'From: a@b.test\r\nSubject: Hi\r\n\r\nYour code is 482913\r\nhttps://b.test/x\r\n',
      );
      const requests = [await receiver.request(1), await receiver.request(2)];
      const payloads = requests.map(({ body }) => JSON.parse(body.toString()) as Payload);
      const answer = await api.get(`/api/mailboxes/box/messages/${id}/extracted`);
      expect(answer.body).to.include({ code: '482913' });
      expect(payloads.map(({ message }) => message.id)).to.deep.equal([id, id]);
      const extracted = payloads.map((payload) => payload.extracted);
      expect(extracted).to.have.deep.members([undefined, answer.body]);
    });
  });

  it('receive the bytes of GET .../event', async () => {
    await registerWebhook(test.context, test.caller, 'box', receiver.url, ['extracted']);
    await working(async () => {
      const id = await mail('From: a@b.test\r\nSubject: Grüße\r\n\r\nYour code is 482913\r\n');
      const bodies = [await receiver.request(1), await receiver.request(2)].map(({ body }) =>
        body.toString(),
      );
      const path = `/api/mailboxes/box/messages/${id}/event`;
      const get = async (query: string) => (await api.get(path + query).expect(200)).text;
      expect(bodies).to.have.members([await get(''), await get('?include=extracted')]);
    });
  });

  it('show it in their JSON, which rejects unknown parts', async () => {
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
