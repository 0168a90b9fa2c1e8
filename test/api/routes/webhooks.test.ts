import { expect } from 'chai';
import { openSecret } from '../../../core/secrets/keyring.ts';
import { signingSecrets } from '../../../core/webhooks/signature.ts';
import { purgeDeletedMailboxes } from '../../../core/retention/purge.ts';
import { service } from '../../support/service.ts';

describe('webhooks over HTTP', () => {
  const test = service({
    env: {
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_ALLOW_HTTP: 'true',
    },
    mailboxes: ['box'],
  });
  const { api } = test;

  const PATH = '/api/mailboxes/box/webhooks';
  const register = (url = 'https://hooks.example.com/a') => api.post(PATH).send({ url });

  describe('POST /api/mailboxes/:name/webhooks', () => {
    it('201: the webhook with its secret, which is stored sealed', async () => {
      const { body } = await register().expect(201);
      expect(body).to.include.all.keys('id', 'mailboxId', 'url', 'active', 'secret', 'createdAt');
      expect(body).to.include({ url: 'https://hooks.example.com/a', active: true });
      expect(body.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const [row] = await test.context.store.db.select().from(test.context.store.db.t.webhooks);
      expect(row?.secret).not.to.contain(body.secret.slice(6));
      expect(openSecret(test.context.secrets.keyring, body.id, row!.secret)).to.equal(body.secret);
    });

    it('201: one URL twice, each with its own secret', async () => {
      const [first, second] = [await register().expect(201), await register().expect(201)];
      expect(first.body.secret).not.to.equal(second.body.secret);
    });

    it('201: a local receiver in plain HTTP if the operator allows it', async () => {
      await register('http://127.0.0.1:8080/hook').expect(201);
    });

    it('400: plain HTTP to an address that is not allowed', () =>
      register('http://10.0.0.1/').expect(400));

    it('403: one above the limit of a mailbox, also for concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 52 }, (_, n) => register(`https://a.test/${n}`)),
      );
      const refusals = answers.filter(({ status }) => status === 403);
      expect(refusals.map(({ body }) => body.code)).to.deep.equal([
        'webhook_limit',
        'webhook_limit',
      ]);
      expect((await api.get(PATH).expect(200)).body).to.have.length(50);
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
  });

  describe('PATCH /api/mailboxes/:name/webhooks/:id', () => {
    it('200: paused with reason and time, and enabled again', async () => {
      const { body: made } = await register().expect(201);
      const paused = await api.patch(`${PATH}/${made.id}`).send({ active: false }).expect(200);
      expect(paused.body).to.include({ active: false, pausedReason: 'manual' });
      expect(Date.parse(paused.body.pausedAt)).to.be.closeTo(test.context.now(), 60_000);
      const again = await api.patch(`${PATH}/${made.id}`).send({ active: false }).expect(200);
      expect(again.body).to.deep.equal(paused.body);
      const enabled = await api.patch(`${PATH}/${made.id}`).send({ active: true }).expect(200);
      expect(enabled.body).to.include({ active: true, pausedReason: null, pausedAt: null });
      expect(enabled.body).not.to.have.property('secret');
    });

    it('200: another URL, and the same again', async () => {
      const { body: made } = await register().expect(201);
      const url = 'https://hooks.example.com/b';
      const moved = await api.patch(`${PATH}/${made.id}`).send({ url }).expect(200);
      expect(moved.body).to.include({ id: made.id, url, active: true });
      const same = await api.patch(`${PATH}/${made.id}`).send({ url }).expect(200);
      expect(same.body).to.deep.equal(moved.body);
    });

    it('400: a URL in plain HTTP to an address that is not allowed', async () => {
      const { body: made } = await register().expect(201);
      await api.patch(`${PATH}/${made.id}`).send({ url: 'http://10.0.0.1/' }).expect(400);
      expect((await api.get(PATH).expect(200)).body[0]).to.include({ url: made.url });
    });
  });

  describe('POST /api/mailboxes/:name/webhooks/:id/rotate-secret', () => {
    const stored = async () => {
      const [row] = await test.context.store.db.select().from(test.context.store.db.t.webhooks);
      return signingSecrets(test.context.secrets.keyring, row!, test.context.now());
    };

    it('200: a new secret; the previous one also signs for a day, earlier ones do not', async () => {
      const { body: made } = await register().expect(201);
      const { body: second } = await api.post(`${PATH}/${made.id}/rotate-secret`).expect(200);
      expect(second.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(await stored()).to.deep.equal([second.secret, made.secret]);
      const { body: third } = await api.post(`${PATH}/${made.id}/rotate-secret`).expect(200);
      expect(await stored()).to.deep.equal([third.secret, second.secret]);
      test.advance(24 * 3600_000 + 1);
      expect(await stored()).to.deep.equal([third.secret]);
    });

    it('200: at once, for a leaked secret', async () => {
      const { body: made } = await register().expect(201);
      const answer = await api.post(`${PATH}/${made.id}/rotate-secret`).send({ expiresIn: 0 });
      expect(answer.status).to.equal(200);
      expect(await stored()).to.deep.equal([answer.body.secret]);
    });
  });

  describe('DELETE /api/mailboxes/:name/webhooks/:id', () => {
    it('204: no longer in the list; 404 the second time', async () => {
      const { body } = await register().expect(201);
      await api.delete(`${PATH}/${body.id}`).expect(204);
      expect((await api.get(PATH).expect(200)).body).to.deep.equal([]);
      await api.delete(`${PATH}/${body.id}`).expect(404);
    });
  });

  it('are deleted with their mailbox', async () => {
    await register().expect(201);
    await api.delete('/api/mailboxes/box').expect(204);
    await purgeDeletedMailboxes(test.context);
    const { db } = test.context.store;
    expect(await db.select().from(db.t.webhooks)).to.deep.equal([]);
    expect(await db.select().from(db.t.mailboxes)).to.deep.equal([]);
  });
});
