import { expect } from 'chai';
import { openSecret } from '../../core/secrets.js';
import { createWorkspace } from '../../core/workspaces.js';
import { purgeDeletedMailboxes } from '../../core/purge.js';
import { type TestApi, openTestApi } from '../support/api.js';
import { type TestContext, openTestContext } from '../support/context.js';

describe('webhooks over HTTP', () => {
  let test: TestContext;
  let api: TestApi;

  beforeEach(async () => {
    test = await openTestContext({
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
    });
    api = openTestApi(test);
    await api.post('/api/mailboxes').send({ name: 'box' }).expect(201);
  });
  afterEach(() => test.close());

  const PATH = '/api/mailboxes/box/webhooks';
  const register = (url = 'https://hooks.example.com/a') => api.post(PATH).send({ url });
  const stranger = async () =>
    (await createWorkspace(test.context, { name: 'o', domain: 'o.test', plan: 'pro' })).token;

  describe('POST /api/mailboxes/:name/webhooks', () => {
    it('201: the webhook with its secret, which is kept sealed', async () => {
      const { body } = await register().expect(201);
      expect(body).to.include.all.keys('id', 'mailboxId', 'url', 'active', 'secret', 'createdAt');
      expect(body).to.include({ url: 'https://hooks.example.com/a', active: true });
      expect(body.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const [row] = await test.context.store.db.select().from(test.context.store.db.t.webhooks);
      expect(row?.secret).not.to.contain(body.secret.slice(6));
      expect(openSecret(test.context.keyring, body.id, row!.secret)).to.equal(body.secret);
    });

    it('201: one URL twice, each with a secret of its own', async () => {
      const [first, second] = [await register().expect(201), await register().expect(201)];
      expect(first.body.secret).not.to.equal(second.body.secret);
    });

    it('201: a local receiver in plain HTTP where the operator allows it', async () => {
      await register('http://127.0.0.1:8080/hook').expect(201);
    });

    for (const body of [
      {},
      { url: 5 },
      { url: 'not a url' },
      { url: 'http://10.0.0.1/' },
      { url: 'https://a.test', x: 1 },
    ]) {
      it(`400: ${JSON.stringify(body)}`, async () => {
        const answer = await api.post(PATH).send(body).expect(400);
        expect(answer.body.code).to.equal('invalid_request');
      });
    }

    it('401: no token', async () => {
      await api.post(PATH, null).send({ url: 'https://a.test' }).expect(401);
    });

    it('404: no such mailbox, or another workspace’s', async () => {
      await api.post('/api/mailboxes/none/webhooks').send({ url: 'https://a.test' }).expect(404);
      await api
        .post(PATH, await stranger())
        .send({ url: 'https://a.test' })
        .expect(404);
    });
  });

  describe('GET /api/mailboxes/:name/webhooks', () => {
    it('200: newest first, without secrets', async () => {
      const made = [await register('https://a.test/1'), await register('https://a.test/2')];
      const { body } = await api.get(PATH).expect(200);
      expect(body.map(({ id }: { id: string }) => id)).to.deep.equal(
        made.map((m) => m.body.id).reverse(),
      );
      for (const webhook of body) expect(webhook).not.to.have.property('secret');
    });

    it('401: no token', async () => {
      await api.get(PATH, null).expect(401);
    });

    it('404: no such mailbox, or another workspace’s', async () => {
      await api.get('/api/mailboxes/none/webhooks').expect(404);
      await api.get(PATH, await stranger()).expect(404);
    });
  });

  describe('DELETE /api/mailboxes/:name/webhooks/:id', () => {
    it('204: gone from the list', async () => {
      const { body } = await register().expect(201);
      await api.delete(`${PATH}/${body.id}`).expect(204);
      expect((await api.get(PATH).expect(200)).body).to.deep.equal([]);
    });

    it('401: no token', async () => {
      await api.delete(`${PATH}/whk_x`, null).expect(401);
    });

    it('404: unknown, deleted, on another mailbox, or of another workspace', async () => {
      await api.post('/api/mailboxes').send({ name: 'other' }).expect(201);
      const { body } = await register().expect(201);
      await api.delete(`${PATH}/whk_none`).expect(404);
      await api.delete(`/api/mailboxes/other/webhooks/${body.id}`).expect(404);
      await api.delete(`${PATH}/${body.id}`, await stranger()).expect(404);
      await api.delete(`${PATH}/${body.id}`).expect(204);
      await api.delete(`${PATH}/${body.id}`).expect(404);
    });
  });

  it('go with their mailbox', async () => {
    await register().expect(201);
    await api.delete('/api/mailboxes/box').expect(204);
    await purgeDeletedMailboxes(test.context);
    const { db } = test.context.store;
    expect(await db.select().from(db.t.webhooks)).to.deep.equal([]);
    expect(await db.select().from(db.t.mailboxes)).to.deep.equal([]);
  });
});
