import { expect } from 'chai';
import { service } from '../../support/service.ts';

const SPELLINGS = [
  'hello@one.test',
  'Hello@ONE.test',
  'hello+Sign-Up@one.test',
  '"hello"@one.test',
];

describe('an address in place of the name of a mailbox', () => {
  const test = service({ mailboxes: ['hello'] });
  const { api, receive } = test;
  const pathOf = (mailbox: string) => `/api/mailboxes/${encodeURIComponent(mailbox)}`;

  for (const spelling of SPELLINGS) {
    it(`names the mailbox: ${spelling}`, async () => {
      const id = await receive('hello');
      const path = pathOf(spelling);
      expect((await api.get(path).expect(200)).body).to.include({ name: 'hello' });
      await api.get(`${path}/messages/${id}`).expect(200);
      const { body } = await api.get(`${path}/messages/wait?timeout=0`).expect(200);
      expect(body).to.have.nested.property('messages[0].id', id);
      await api
        .patch(path)
        .send({ labels: { run: '1' } })
        .expect(200);
      await api.post(`${path}/webhooks`).send({ url: 'https://app.example/hook' }).expect(201);
      const sent = { to: ['hello@one.test'], subject: 'Hi', text: 'Hi' };
      await api.post(`${path}/messages`).send(sent).expect(201);
      await api.post(`${path}/messages/claim`).send({ timeout: 0 }).expect(200);
      await api.delete(`${path}/messages/${id}`).expect(204);
      expect(await test.messages('hello')).to.have.length(1);
      await api.delete(path).expect(204);
      await api.get(pathOf('hello')).expect(404);
    });
  }

  it('is not sliced from a path that is not encoded', async () => {
    await api.get('/api/mailboxes/hello+tag@one.test').expect(200);
  });

  it('404: an address of another domain, and one that is malformed', async () => {
    await test.stranger();
    for (const address of ['hello@two.test', 'hello@other1.test', 'hello@', '@one.test', 'a@b@c']) {
      const { body } = await api.get(pathOf(address)).expect(404);
      expect(body, address).to.include({ code: 'not_found' });
      await api.delete(pathOf(address)).expect(404);
    }
  });

  it('is a value of "mailbox:" in searches', async () => {
    await test.mailbox('other');
    await receive('other');
    const id = await receive('hello');
    for (const [mailbox, expected] of [
      ['Hello@One.test', [id]],
      ['hello+tag@one.test', [id]],
      ['hello@two.test', []],
    ] as const) {
      const { body } = await api
        .get('/api/messages')
        .query({ q: `mailbox:${mailbox}` })
        .expect(200);
      expect((body as { messages: { id: string }[] }).messages.map((one) => one.id)).to.deep.equal(
        expected,
      );
    }
  });
});
