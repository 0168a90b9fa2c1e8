import { expect } from 'chai';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { createToken, revokeToken } from '../../../core/auth/tokens.ts';
import { startReconciliation } from '../../../jobs/reconcile-redis.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

describe('live events', () => {
  const test = service({ env: { REDIS_TIMEOUT_MS: '4000' } });
  const { api, mailbox, stranger } = test;

  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const follow = (path = '/api/events', headers?: Record<string, string>) =>
    test.follow(path, headers);
  /** A client that has received `ready`. */
  const followNow = async (path?: string) => {
    const client = await follow(path);
    const [ready] = await client.next();
    expect(ready).to.include({ type: 'ready' });
    return { client, readyId: ready!.id! };
  };
  const resume = (after: string, path?: string) => follow(path, { 'Last-Event-ID': after });
  const receive = (name: string) => test.receive(name, 'From: a@b.test\r\nSubject: s\r\n\r\nHello');

  describe('GET /api/events', () => {
    it('200: events in order, each with its ids', async () => {
      const { client } = await followNow();
      const { headers } = client.response;
      expect(headers['content-type']).to.equal('text/event-stream; charset=utf-8');
      expect(headers['cache-control']).to.equal('no-store');
      const { id: mailboxId } = await mailbox('box');
      const box = { mailbox: 'box', mailboxId };
      const messageId = await receive('box');
      const events = await client.next(2);
      await api.delete(`/api/mailboxes/box/messages/${messageId}`).expect(204);
      await api.delete('/api/mailboxes/box').expect(204);
      events.push(...(await client.next(2)));
      const told = { from: 'a@b.test', subject: 's', preview: 'Hello' };
      expect(events.map(({ data }) => data)).to.deep.equal([
        { type: 'mailbox.created', ...box },
        { type: 'message.received', ...box, messageId, ...told },
        { type: 'message.deleted', ...box, messageId },
        { type: 'mailbox.deleted', ...box },
      ]);
      for (const { type, data } of events) expect(data).to.include({ type });
    });

    it('200: the message can be fetched when its event arrives', async () => {
      await mailbox('box');
      const { client } = await followNow();
      await receive('box');
      const [told] = await client.next();
      const { messageId } = told!.data as { messageId: string };
      await api.get(`/api/mailboxes/box/messages/${messageId}`).expect(200);
    });

    it('200: each message of a sent mail, including the one with the returned id', async () => {
      for (const name of ['box', 'other']) await mailbox(name);
      const { client } = await followNow();
      const types = async (count: number) => (await client.next(count)).map(({ type }) => type);
      const to = ['other@one.test', 'box+a@one.test', 'box+b@one.test'];
      const sent = await api
        .post('/api/mailboxes/box/messages')
        .send({ to, subject: 's' })
        .expect(201);
      expect(await types(3)).to.deep.equal(Array(3).fill('message.received'));
      const { messageId } = sent.body as { messageId: string };
      await api.delete(`/api/mailboxes/box/messages/${messageId}`).expect(204);
      expect(await types(2)).to.deep.equal(Array(2).fill('message.deleted'));
    });

    it('200: a webhook that is paused manually', async () => {
      const { id: mailboxId } = await mailbox('box');
      const path = '/api/mailboxes/box/webhooks';
      const { body } = await api.post(path).send({ url: 'https://hooks.example.com/' }).expect(201);
      const { id: webhookId } = body as { id: string };
      const { client } = await followNow();
      for (const active of [false, false, true, false]) {
        await api.patch(`${path}/${webhookId}`).send({ active }).expect(200);
      }
      const paused = { type: 'webhook.paused', mailbox: 'box', mailboxId, webhookId };
      expect((await client.next(2)).map(({ data }) => data)).to.deep.equal([paused, paused]);
    });

    it('200: for a browser session', async () => {
      const { headers } = await api.post('/api/session').expect(201);
      const [cookie = ''] = headers['set-cookie'] as unknown as string[];
      const server = await test.listen();
      const client = await server.follow('/api/events', { Cookie: cookie.split(';')[0]! });
      expect((await client.next())[0]).to.include({ type: 'ready' });
    });

    it('200: events of other processes, not of other workspaces', async () => {
      const { client } = await followNow();
      await api
        .post('/api/mailboxes', await stranger())
        .send({ name: 'theirs' })
        .expect(201);
      await createMailbox(await test.another(), test.caller, 'ours');
      expect((await client.next())[0]!.data).to.include({ mailbox: 'ours' });
      expect(client.told).to.have.length(2);
    });

    it('200: a reconnecting client receives exactly the missed events', async () => {
      const { client, readyId } = await followNow();
      await mailbox('one');
      const [first] = await client.next();
      client.hangUp();
      await mailbox('two');
      await mailbox('three');
      const after = async (id: string, count: number) =>
        (await (await resume(id)).next(count)).map(({ type, data }) =>
          type === 'ready' ? type : (data as { mailbox: string }).mailbox,
        );
      expect(await after(readyId, 4)).to.deep.equal(['one', 'two', 'three', 'ready']);
      expect(await after(first!.id!, 3)).to.deep.equal(['two', 'three', 'ready']);
    });

    it('200: reports if missed events are not known', async () => {
      const { client, readyId } = await followNow();
      client.hangUp();
      await test.context.redis.flushall();
      for (const id of [readyId, 'nonsense', '1-1', '99999999999999-0']) {
        const told = await (await resume(id)).next(2);
        expect(told.map(({ type }) => type)).to.deep.equal(['reset', 'ready']);
      }
    });

    it('200: continues after Redis was lost, and reports possible gaps', async () => {
      await mailbox('box');
      const { client } = await followNow();
      await test.redis.kill();
      await test.redis.start();
      const [reset] = await client.next();
      expect(reset).to.include({ type: 'reset' });
      // A worker compares the directory after each start of Redis.
      await (await startReconciliation(test.context)).stop();
      await receive('box');
      expect((await client.next())[0]).to.include({ type: 'message.received' });
    });

    it('200: ends with the reason when the token is revoked in any process, then 401', async () => {
      const { row, value } = await createToken(test.context, test.caller, {
        name: 'v',
        role: 'reader',
      });
      const client = await follow('/api/events', bearer(value));
      const { client: stays } = await followNow();
      await client.next();
      await revokeToken(await test.another(), test.caller, row.id);
      const [closed] = await client.next();
      expect(closed).to.deep.include({ type: 'closed' });
      expect(closed!.data).to.include({ code: 'unauthorized' });
      await client.ended;
      expect((await follow('/api/events', bearer(value))).response.statusCode).to.equal(401);
      await mailbox('box');
      expect((await stays.next())[0]).to.include({ type: 'mailbox.created' });
    });

    it('200: a disconnected client is removed', async () => {
      const { client } = await followNow();
      const open = async () =>
        (await test.context.metrics.http.eventStreams.get()).values[0]?.value;
      expect(await open()).to.equal(1);
      client.hangUp();
      await eventually('nobody to follow', async () => (await open()) === 0);
    });

    it('200: HEAD gets no stream', async () => {
      const { headers } = await api.head('/api/events').expect(200);
      expect(headers['content-type']).to.equal('text/event-stream; charset=utf-8');
    });

    it('429: one stream above 100', async () => {
      for (let n = 0; n < 100; n += 1) await followNow();
      expect((await follow()).response.statusCode).to.equal(429);
    });

    it('503: while Redis is unavailable', async () => {
      await test.redis.stop();
      await api.get('/api/events').expect(503);
    });

    it('503: after the process was told to stop', async () => {
      await followNow();
      test.context.events.hub.close();
      expect((await follow()).response.statusCode).to.equal(503);
    });
  });

  describe('GET /api/mailboxes/:name/events', () => {
    it('200: only events of this mailbox, and ends with it', async () => {
      await mailbox('box');
      await mailbox('other');
      const { client } = await followNow('/api/mailboxes/box/events');
      await receive('other');
      await receive('box');
      await api.delete('/api/mailboxes/box').expect(204);
      await client.ended;
      expect(client.told.map(({ type }) => type)).to.deep.equal([
        'ready',
        'message.received',
        'mailbox.deleted',
      ]);
      expect((await follow('/api/mailboxes/box/events')).response.statusCode).to.equal(404);
    });
  });
});
