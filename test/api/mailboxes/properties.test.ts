import { expect } from 'chai';
import { openTestApi } from '../../support/context/api.ts';
import { service } from '../../support/service.ts';

interface Mailbox {
  id: string;
  name: string;
  labels: Record<string, string>;
}

describe('properties of mailboxes', () => {
  const test = service({ env: { PLAN_FREE_MAILBOXES: '2' } });
  const { api } = test;

  const create = async (body: object, status = 201) =>
    (await api.post('/api/mailboxes').send(body).expect(status)).body as Mailbox & {
      code: string;
    };
  const names = async (query: string) =>
    ((await api.get(`/api/mailboxes?${query}`).expect(200)).body as Mailbox[]).map(
      ({ name }) => name,
    );

  describe('POST /api/mailboxes', () => {
    it('201: with all properties, which GET repeats', async () => {
      const wanted = {
        ...{ name: 'run-3', labels: { worker: '3', run: 'gh-8812' }, clientId: 'gh-8812/3' },
        ...{ messagesExpireIn: 900, maxMessages: 500 },
      };
      const made = await create({ ...wanted, expiresIn: 3600 });
      expect(made).to.deep.include(wanted);
      expect(Object.keys(made.labels)).to.deep.equal(['run', 'worker']);
      const { body } = await api.get('/api/mailboxes/RUN-3').expect(200);
      expect(body).to.deep.equal(made);
      expect((await api.get('/api/mailboxes').expect(200)).body).to.deep.equal([made]);
    });

    it('200: a client id that exists, whatever else is asked for', async () => {
      const made = await create({ clientId: 'job', labels: { run: '1' } });
      for (const rest of [{}, { name: '!' }, { labels: { '': '' } }, { expiresIn: 5 }]) {
        expect(await create({ clientId: 'job', ...rest }, 200)).to.deep.equal(made);
      }
      await api.delete(`/api/mailboxes/${made.name}`).expect(204);
      expect((await create({ clientId: 'job' })).id).to.not.equal(made.id);
    });

    it('200: a client id that exists in a workspace at its plan limit', async () => {
      const token = await test.stranger('free');
      const post = (body: object) => api.post('/api/mailboxes', token).send(body);
      await post({ clientId: 'a' }).expect(201);
      await post({ clientId: 'b' }).expect(201);
      await post({ clientId: 'a' }).expect(200);
      const refused = await post({ clientId: 'c' }).expect(403);
      expect(refused.body.details).to.deep.equal({ plan: 'free', limit: 2, left: 0 });
    });

    it('201 once and 200 nineteen times: concurrent requests to two web processes', async () => {
      const other = openTestApi({ ...test, context: await test.another() });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? api : other).post('/api/mailboxes').send({ clientId: 'job' }),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).to.deep.equal([...Array<number>(19).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => (body as Mailbox).id)).size).to.equal(1);
      expect(await names('')).to.have.length(1);
    });

    const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, 'v']));
    for (const labels of [
      many,
      { Run: '1' },
      { '-run': '1' },
      { ['k'.repeat(41)]: '1' },
      { run: 'x'.repeat(101) },
      { run: 'a\nb' },
    ]) {
      it(`422: labels ${JSON.stringify(labels).slice(0, 40)}`, async () => {
        expect((await create({ labels }, 422)).code).to.equal('invalid_labels');
        expect(await names('')).to.deep.equal([]);
      });
    }

    it('201: 100 characters of a label that take two UTF-16 units each', async () => {
      const labels = { run: '😀'.repeat(100) };
      expect((await create({ labels }, 201)).labels).to.deep.equal(labels);
      expect((await create({ labels: { run: '😀'.repeat(101) } }, 422)).code).to.equal(
        'invalid_labels',
      );
    });

    it('422: messagesExpireIn above MESSAGE_TTL_MS', async () => {
      expect((await create({ messagesExpireIn: 86_401 }, 422)).code).to.equal('unprocessable');
      await create({ messagesExpireIn: 86_400 });
    });
  });

  describe('GET /api/mailboxes?label=', () => {
    it('200: mailboxes with all of the labels', async () => {
      await create({ name: 'one', labels: { run: '1', url: 'http://a:1' } });
      await create({ name: 'two', labels: { run: '1' } });
      expect(await names('label=run:1')).to.deep.equal(['two', 'one']);
      expect(await names('label=run:1&label=url:http://a:1')).to.deep.equal(['one']);
      expect(await names('label=run:2')).to.deep.equal([]);
      expect(await names('label=RUN:1')).to.deep.equal([]);
    });
  });

  describe('PATCH /api/mailboxes/{name}', () => {
    it('200: replaces all labels, and changes nothing else', async () => {
      const made = await create({ name: 'box', labels: { run: '1', worker: 'a' }, maxMessages: 5 });
      const change = (body: object) => api.patch('/api/mailboxes/box').send(body).expect(200);
      expect((await change({})).body).to.deep.equal(made);
      const labels = { team: 'checkout' };
      expect((await change({ labels })).body).to.deep.equal({ ...made, labels });
      expect(await names('label=run:1')).to.deep.equal([]);
      expect(await names('label=team:checkout')).to.deep.equal(['box']);
      const none = { labels: {}, maxMessages: null };
      expect((await change(none)).body).to.deep.equal({ ...made, ...none });
      expect(await names('label=team:checkout')).to.deep.equal([]);
    });

    it('422: invalid labels, and messagesExpireIn above MESSAGE_TTL_MS', async () => {
      await create({ name: 'box' });
      const change = (body: object) => api.patch('/api/mailboxes/box').send(body);
      await change({ labels: { A: '' } }).expect(422);
      await change({ messagesExpireIn: 90_000 }).expect(422);
    });

    it('503: Redis unavailable, and the lifetime unchanged', async () => {
      await create({ name: 'box' });
      await test.redis.kill();
      await api.patch('/api/mailboxes/box').send({ expiresIn: 1 }).expect(503);
      const { body } = await api.get('/api/mailboxes/box').expect(200);
      expect(body).to.include({ expiresAt: null });
    });
  });
});
