import { expect } from 'chai';
import { service } from '../../support/service.ts';

describe('mailboxes over HTTP', () => {
  const test = service({ env: { PLAN_FREE_MAILBOXES: '2' } });
  const { api, mailbox, stranger } = test;

  describe('POST /api/mailboxes', () => {
    it('201: creates a mailbox under a custom name, lower-cased', async () => {
      const { body } = await api.post('/api/mailboxes').send({ name: 'Sign-Up' }).expect(201);
      expect(body).to.have.all.keys(
        ...['id', 'name', 'address', 'messageCount', 'createdAt', 'expiresAt', 'labels'],
        ...['clientId', 'messagesExpireIn', 'maxMessages'],
      );
      expect(body).to.include({ name: 'sign-up', address: 'sign-up@one.test', messageCount: 0 });
      expect(body.id).to.match(/^mbx_/);
      expect(new Date(body.createdAt).toISOString()).to.equal(body.createdAt);
    });

    for (const [what, body] of [
      ['an empty object', {}],
      ['no body', undefined],
    ] as const) {
      it(`201: generates a name for ${what}`, async () => {
        const answer = await api.post('/api/mailboxes').send(body).expect(201);
        expect(answer.body.name).to.match(/^[a-z]+-[a-z]+-[a-z0-9]{7}$/);
      });
    }

    it('403: a custom name on the Free plan, before it is validated', async () => {
      const token = await stranger('free');
      const answer = await api.post('/api/mailboxes', token).send({ name: '!' }).expect(403);
      expect(answer.body.error).to.contain('require the Pro plan');
    });

    it('403: one above the plan limit, also for concurrent creations', async () => {
      const token = await stranger('free');
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => api.post('/api/mailboxes', token)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([
        201, 201, 403, 403, 403, 403,
      ]);
      const refused = answers.find(({ status }) => status === 403);
      expect(refused?.body).to.include({ code: 'plan_limit' });
      expect(refused?.body.error).to.contain('Free plan reached (2). Delete a mailbox first.');
    });

    it('403: with the setting that raises the plan limit, on a private instance', async () => {
      await test.reopen({ BIND_HOST: '127.0.0.1', PLAN_PRO_MAILBOXES: '1' });
      await mailbox('one');
      const { body } = await api.post('/api/mailboxes').expect(403);
      expect(body.error).to.contain('or raise PLAN_PRO_MAILBOXES (0 for no limit).');
    });

    it('409: a name in use, also for concurrent creations', async () => {
      const create = () => api.post('/api/mailboxes').send({ name: 'same' });
      const answers = await Promise.all([create(), create()]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
      await api.post('/api/mailboxes').send({ name: 'SAME' }).expect(409);
    });

    it('422: an invalid name', async () => {
      const answer = await api.post('/api/mailboxes').send({ name: 'a..b' }).expect(422);
      expect(answer.body).to.include({ code: 'invalid_name' });
    });

    it('503: Redis unavailable, and nothing created', async () => {
      await test.redis.kill();
      const answer = await api.post('/api/mailboxes').send({ name: 'abc' }).expect(503);
      expect(answer.headers['retry-after']).to.match(/^\d+$/);
      expect((await api.get('/api/mailboxes').expect(200)).body).to.deep.equal([]);
    });
  });

  describe('GET /api/mailboxes', () => {
    it('200: newest first, with live counts', async () => {
      for (const name of ['one', 'two', 'three']) await mailbox(name);
      await test.receive('two');
      const { body } = await api.get('/api/mailboxes').expect(200);
      expect(
        body.map((box: { name: string; messageCount: number }) => [box.name, box.messageCount]),
      ).to.deep.equal([
        ['three', 0],
        ['two', 1],
        ['one', 0],
      ]);
      test.advance(86_400_000);
      const later = await api.get('/api/mailboxes').expect(200);
      expect(later.body[1].messageCount).to.equal(0);
    });

    it('200: without mailboxes of other workspaces', async () => {
      await mailbox('mine');
      const token = await stranger('free');
      expect((await api.get('/api/mailboxes', token).expect(200)).body).to.deep.equal([]);
    });

    it('200: with a body, which is ignored', () =>
      api.get('/api/mailboxes').set('Content-Encoding', 'nonsense').send('{').expect(200));

    it('404, not 500: paths that start with two slashes', async () => {
      for (const path of ['//', '/api//', '/api//?limit=1']) await api.get(path).expect(404);
    });
  });

  describe('DELETE /api/mailboxes/:name', () => {
    it('204: deletes, stops mail, and releases the name; 404 the second time', async () => {
      await mailbox('gone');
      const answer = await api.delete('/api/mailboxes/Gone').expect(204);
      expect(answer.text).to.equal('');
      const lookup = await test.context.directory.lookup({
        name: 'gone',
        domain: 'one.test',
        tag: null,
      });
      expect(lookup.outcome).to.equal('unknown');
      await api.get('/api/mailboxes/gone/messages').expect(404);
      await api.delete('/api/mailboxes/gone').expect(404);
      await mailbox('gone');
    });

    it('503: Redis unavailable, and nothing deleted', async () => {
      await mailbox('kept');
      await test.redis.kill();
      await api.delete('/api/mailboxes/kept').expect(503);
      expect((await api.get('/api/mailboxes').expect(200)).body).to.have.length(1);
    });
  });
});
