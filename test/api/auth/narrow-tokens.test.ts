import { expect } from 'chai';
import { createToken } from '../../../core/auth/tokens.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { service } from '../../support/service.ts';

describe('narrow tokens', () => {
  const test = service();
  const { api, receive } = test;

  beforeEach(async () => {
    await createMailboxes(test.context, test.caller, [
      { name: 'inside', labels: { run: '1' }, clientId: 'in' },
      { name: 'outside', labels: { run: '2' }, clientId: 'out' },
    ]);
  });

  const tokenOf = async (mailboxes: string[], rest: object = {}) =>
    (
      await createToken(test.context, test.caller, {
        ...{ name: 'narrow', role: 'member', mailboxes },
        ...rest,
      })
    ).value;
  const names = async (token: string, query = '') => {
    const { body } = await api.get(`/api/mailboxes${query}`, token).expect(200);
    return (body as { name: string }[]).map(({ name }) => name);
  };
  const follow = async (token: string, path = '/api/events') => {
    const client = await test.follow(path, { Authorization: `Bearer ${token}` });
    await client.next();
    return client;
  };

  it('shows expiresAt and mailboxes in answers, lists and sessions', async () => {
    const wanted = { name: 'n', role: 'reader', expiresIn: 60, mailboxes: ['Inside', 'run:1'] };
    const { body } = await api.post('/api/tokens').send(wanted).expect(201);
    const made = body as { token: string; createdAt: string; expiresAt: string };
    expect(body).to.deep.include({ mailboxes: ['inside', 'run:1'] });
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).to.equal(60_000);
    const { expiresAt } = made;
    const shown = { expiresAt, mailboxes: ['inside', 'run:1'] };
    const [listed] = (await api.get('/api/tokens').expect(200)).body as object[];
    expect(listed).to.deep.include(shown);
    const session = (await api.get('/api/session', made.token).expect(200)).body as {
      token: object;
    };
    expect(session.token).to.deep.include(shown);
    test.advance(60_000);
    await api.get('/api/mailboxes', made.token).expect(401);
    expect((await api.get('/api/tokens').expect(200)).body).to.have.length(1);
  });

  it('takes addresses for names', async () => {
    const token = await tokenOf(['Inside+tag@One.test', 'inside']);
    expect((await api.get('/api/session', token).expect(200)).body).to.have.nested.property(
      'token.mailboxes.length',
      1,
    );
    expect(await names(token)).to.deep.equal(['inside']);
  });

  for (const mailboxes of [
    [],
    ['!'],
    ['inside@two.test'],
    ['admin'],
    ['Run:1'],
    ['run:\n'],
    Array(101).fill('abc'),
  ]) {
    it(`422: mailboxes ${JSON.stringify(mailboxes).slice(0, 30)}`, async () => {
      const { body } = await api.post('/api/tokens').send({ name: 'n', mailboxes }).expect(422);
      expect(body).to.include({ code: 'unprocessable' });
    });
  }

  for (const entry of ['inside', 'run:1']) {
    it(`lists and counts only what "${entry}" includes`, async () => {
      const token = await tokenOf([entry]);
      expect(await names(token)).to.deep.equal(['inside']);
      expect(await names(token, '?label=run:2')).to.deep.equal([]);
      const { body } = await api.delete('/api/mailboxes?label=run:2', token).expect(200);
      expect(body).to.deep.equal({ deleted: 0 });
      expect(await names(test.workspace.token)).to.have.length(2);
    });

    it(`streams only events that "${entry}" includes, without labels`, async () => {
      const client = await follow(await tokenOf([entry]));
      await receive('outside');
      await receive(['inside', 'outside']);
      await api.delete('/api/mailboxes/outside').expect(204);
      await api.delete('/api/mailboxes/inside').expect(204);
      const events = await client.next(2);
      expect(events.map(({ type }) => type)).to.deep.equal(['message.received', 'mailbox.deleted']);
      for (const { data } of events) {
        expect(data).to.include({ mailbox: 'inside' });
        expect(data).to.not.have.property('labels');
      }
    });
  }

  it('ends an event stream at its expiry', async () => {
    const client = await follow(await tokenOf(['inside'], { expiresIn: 1 }));
    const [closed] = await client.next();
    expect(closed).to.include({ type: 'closed' });
  });

  it('creates mailboxes only with one of its labels, whether a name is free or taken', async () => {
    const token = await tokenOf(['inside', 'run:1']);
    const create = (body: object) => api.post('/api/mailboxes', token).send(body);
    const texts = new Set<string>();
    for (const body of [{}, { name: 'free' }, { name: 'outside' }, { labels: { run: '2' } }]) {
      const answer = await create(body).expect(403);
      expect(answer.body).to.include({ code: 'forbidden' });
      texts.add((answer.body as { error: string }).error);
    }
    expect(texts.size).to.equal(1);
    await create({ labels: { run: '1', worker: '1' } }).expect(201);
    const batch = (body: object) => api.post('/api/mailboxes/batch', token).send(body);
    await batch({ mailboxes: [{ labels: { run: '1' } }, {}] }).expect(403);
    await batch({ count: 2, labels: { run: '1' } }).expect(201);
    expect(await names(token)).to.have.length(4);
    await api
      .post('/api/mailboxes', await tokenOf(['new']))
      .send({ name: 'new' })
      .expect(403);
  });

  it('gets no mailbox outside by its client id', async () => {
    const token = await tokenOf(['run:1']);
    const create = (clientId: string) =>
      api.post('/api/mailboxes', token).send({ clientId, labels: { run: '1' } });
    expect((await create('in').expect(200)).body).to.include({ name: 'inside' });
    const refused = await create('out').expect(409);
    expect(refused.body).to.include({ code: 'client_id_taken' });
    expect(refused.text).to.not.contain('outside@');
  });

  it('gets no response of another token by its Idempotency-Key', async () => {
    const create = (token: string) =>
      api
        .post('/api/mailboxes', token)
        .set('Idempotency-Key', 'key')
        .send({ labels: { run: '1' } })
        .expect(201);
    const [first, second] = [await tokenOf(['run:1']), await tokenOf(['run:1'])];
    const ids = [];
    for (const token of [test.workspace.token, first, first, second]) {
      ids.push(((await create(token)).body as { id: string }).id);
    }
    expect(ids[1]).to.equal(ids[2]);
    expect(new Set(ids).size).to.equal(3);
  });

  it('sends to no mailbox outside, with the text for an unknown one', async () => {
    const token = await tokenOf(['inside']);
    const text = async (name: string) => {
      const to = [`${name}@one.test`];
      const path = '/api/mailboxes/inside/messages';
      const { body } = await api.post(path, token).send({ to, subject: 's' }).expect(422);
      return (body as { error: string }).error.replaceAll(name, 'NAME');
    };
    expect(await text('outside')).to.equal(await text('nobody1'));
  });

  it('shows no message of a mailbox that has left the scope, in a stream that is resumed', async () => {
    const token = await tokenOf(['run:1']);
    const client = await follow(token);
    await receive('inside');
    const [{ id } = { id: '' }] = await client.next();
    await receive('inside');
    await client.next();
    await createMailboxes(test.context, test.caller, [{ name: 'other', labels: { run: '1' } }]);
    await client.next();
    await api.patch('/api/mailboxes/inside').send({ labels: {} }).expect(200);
    const headers = { Authorization: `Bearer ${token}`, 'Last-Event-ID': id ?? '' };
    const resumed = await test.follow('/api/events', headers);
    const told = await resumed.next(2);
    expect(told.map(({ type }) => type)).to.deep.equal(['mailbox.created', 'ready']);
  });

  it('follows labels that change', async () => {
    const token = await tokenOf(['run:1']);
    await api.patch('/api/mailboxes/inside').send({ labels: {} }).expect(200);
    await api.get('/api/mailboxes/inside/messages', token).expect(404);
    await api
      .patch('/api/mailboxes/outside')
      .send({ labels: { run: '1' } })
      .expect(200);
    expect(await names(token)).to.deep.equal(['outside']);
  });

  it('shows no count of other mailboxes in plan_limit', async () => {
    await test.reopen({ PLAN_PRO_MAILBOXES: '2' });
    await createMailboxes(test.context, test.caller, [{}]);
    const token = await tokenOf(['run:1']);
    const { body } = await api
      .post('/api/mailboxes/batch', token)
      .send({ count: 2, labels: { run: '1' } })
      .expect(403);
    expect(body).to.deep.include({ details: { plan: 'pro', limit: 2 } });
  });
});
