import { expect } from 'chai';
import { createWorkspace } from '../../../core/workspaces/workspaces.ts';
import { ingestMessage } from '../../../jobs/ingest-message.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';

describe('mailboxes over HTTP', () => {
  let test: TestContext;
  let api: TestApi;

  beforeEach(async () => {
    test = await openTestContext({ PLAN_FREE_MAILBOXES: '2' });
    api = openTestApi(test);
  });
  afterEach(() => test.close());

  const free = () =>
    createWorkspace(test.context, { name: 'free', domain: 'free.test', plan: 'free' });

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

    it('400: malformed JSON', async () => {
      const answer = await api
        .post('/api/mailboxes')
        .set('Content-Type', 'application/json')
        .send('{"name":')
        .expect(400);
      expect(answer.body).to.include({
        code: 'invalid_json',
        error: 'The request body is not valid JSON.',
      });
    });

    for (const body of [{ name: 5 }, { name: null }, { nam: 'abc' }, [], 'text']) {
      it(`400: ${JSON.stringify(body)}`, async () => {
        const answer = await api
          .post('/api/mailboxes')
          .set('Content-Type', 'application/json')
          .send(JSON.stringify(body));
        expect(answer.status, answer.text).to.equal(400);
        expect(answer.body).to.have.all.keys(
          'error',
          'code',
          'requestId',
          ...('details' in answer.body ? ['details'] : []),
        );
      });
    }

    it('401: no token, an unknown token, another scheme, before the body is read', async () => {
      const refused = [
        api.post('/api/mailboxes', null).send({ name: 'abc' }),
        api.post('/api/mailboxes', 'mf_unknown').send({ name: 'abc' }),
        api.post('/api/mailboxes', `mf_${'x'.repeat(43)}`).send({ name: 'abc' }),
        api.post('/api/mailboxes', null).auth('user', 'pass').send({ name: 'abc' }),
        api.post('/api/mailboxes', null).set('Content-Type', 'application/json').send('{'),
      ];
      for (const request of refused) {
        const answer = await request.expect(401);
        expect(answer.body).to.include({ code: 'unauthorized' });
        expect(answer.headers['www-authenticate']).to.equal('Bearer');
      }
    });

    it('403: a custom name on the Free plan, before it is validated', async () => {
      const { token } = await free();
      const answer = await api.post('/api/mailboxes', token).send({ name: '!' }).expect(403);
      expect(answer.body.error).to.contain('require the Pro plan');
    });

    it('403: one above the plan limit, also for concurrent creations', async () => {
      const { token } = await free();
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => api.post('/api/mailboxes', token)),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([
        201, 201, 403, 403, 403, 403,
      ]);
      const refused = answers.find(({ status }) => status === 403);
      expect(refused?.body).to.include({ code: 'plan_limit' });
      expect(refused?.body.error).to.contain('Free plan reached (2)');
    });

    it('409: a name in use, also for concurrent creations', async () => {
      const create = () => api.post('/api/mailboxes').send({ name: 'same' });
      const answers = await Promise.all([create(), create()]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
      await api.post('/api/mailboxes').send({ name: 'SAME' }).expect(409);
    });

    it('413: a body above 100 KiB', async () => {
      await api
        .post('/api/mailboxes')
        .send({ name: 'x'.repeat(110_000) })
        .expect(413);
    });

    it('415: a body without a content type, instead of ignoring it', async () => {
      await api
        .post('/api/mailboxes')
        .set('Content-Type', '')
        .send('{"name":"wanted"}')
        .expect(415);
      expect((await api.get('/api/mailboxes').expect(200)).body).to.deep.equal([]);
    });

    it('415: another content type', async () => {
      await api
        .post('/api/mailboxes')
        .set('Content-Type', 'text/plain')
        .send('name=abc')
        .expect(415);
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
      for (const name of ['one', 'two', 'three'])
        await api.post('/api/mailboxes').send({ name }).expect(201);
      const mail = await acceptMail(test.context, ['two@one.test'], 'Subject: x\r\n\r\nx');
      await ingestMessage.run(test.context, mail, { jobId: '', start: 1, stalls: 0 });
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
      await api.post('/api/mailboxes').send({ name: 'mine' }).expect(201);
      const { token } = await free();
      expect((await api.get('/api/mailboxes', token).expect(200)).body).to.deep.equal([]);
    });

    it('200: with a body, which is ignored', () =>
      api.get('/api/mailboxes').set('Content-Encoding', 'nonsense').send('{').expect(200));

    it('400: a query parameter with brackets in its name', async () => {
      for (const query of ['[=1', '[a]=1', '__proto__[a]=1', 'limit[]=1']) {
        await api.get(`/api/mailboxes?${query}`).expect(400);
      }
    });

    it('400: an unknown query parameter', async () => {
      await api.get('/api/mailboxes?page=2').expect(400);
    });

    it('404, not 500: paths that start with two slashes', async () => {
      for (const path of ['//', '/api//', '/api//?limit=1']) await api.get(path).expect(404);
    });

    it('401: no token', async () => {
      await api.get('/api/mailboxes', null).expect(401);
    });
  });

  describe('DELETE /api/mailboxes/:name', () => {
    it('204: deletes, stops mail, and releases the name', async () => {
      await api.post('/api/mailboxes').send({ name: 'gone' }).expect(201);
      const answer = await api.delete('/api/mailboxes/Gone').expect(204);
      expect(answer.text).to.equal('');
      const lookup = await test.context.directory.lookup({
        name: 'gone',
        domain: 'one.test',
        tag: null,
      });
      expect(lookup.outcome).to.equal('unknown');
      await api.get('/api/mailboxes/gone/messages').expect(404);
      await api.post('/api/mailboxes').send({ name: 'gone' }).expect(201);
    });

    it('401: no token', async () => {
      await api.delete('/api/mailboxes/gone', null).expect(401);
    });

    it('404: unknown, deleted twice, or of another workspace', async () => {
      await api.post('/api/mailboxes').send({ name: 'mine' }).expect(201);
      await api.delete('/api/mailboxes/none').expect(404);
      const { token } = await free();
      await api.delete('/api/mailboxes/mine', token).expect(404);
      await api.delete('/api/mailboxes/mine').expect(204);
      await api.delete('/api/mailboxes/mine').expect(404);
    });

    it('503: Redis unavailable, and nothing deleted', async () => {
      await api.post('/api/mailboxes').send({ name: 'kept' }).expect(201);
      await test.redis.kill();
      await api.delete('/api/mailboxes/kept').expect(503);
      expect((await api.get('/api/mailboxes').expect(200)).body).to.have.length(1);
    });
  });
});
