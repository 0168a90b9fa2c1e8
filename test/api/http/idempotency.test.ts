import { expect } from 'chai';
import {
  type IdempotentResponse,
  type IdempotentRequest,
  runIdempotent,
} from '../../../core/redis/idempotency.ts';
import type { Context } from '../../../core/context.ts';
import type { RecipientDirectory } from '../../../core/directory/recipients.ts';
import { AppError } from '../../../core/errors.ts';
import { newSeed } from '../../../core/ids.ts';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

describe('Idempotency-Key', () => {
  const test = service();
  const { api } = test;

  const create = (key: string, body: object) =>
    api.post('/api/mailboxes').set('Idempotency-Key', key).send(body);
  const send = (key: string, body: object) =>
    api.post('/api/mailboxes/box/messages').set('Idempotency-Key', key).send(body);
  const mailboxes = async () => (await api.get('/api/mailboxes').expect(200)).body as object[];

  /** Performs a request that created something, and keeps its whole answer. */
  const perform = <Body>(
    context: Context,
    request: IdempotentRequest,
    run: (seed: string) => Promise<IdempotentResponse<Body>>,
  ) =>
    runIdempotent(context, request, {
      run: async (seed) => {
        const answer = await run(seed);
        return { ...answer, kept: answer };
      },
      repeat: (answer: IdempotentResponse<Body>) => answer,
    });
  const entries = () => test.context.redis.keys('*:idempotency:*');

  it('holds for each way to write the name of a mailbox', async () => {
    await api.post('/api/mailboxes').send({ name: 'box' }).expect(201);
    const [{ address }] = (await mailboxes()) as [{ address: string }];
    const body = { to: [address], subject: 's', text: 't' };
    const ids = new Set<string>();
    for (const name of ['box', address, 'BOX', encodeURIComponent(address.toUpperCase())]) {
      const path = `/api/mailboxes/${name}/messages`;
      const sent = await api.post(path).set('Idempotency-Key', 'n').send(body).expect(201);
      ids.add(JSON.stringify(sent.body));
    }
    expect([...ids]).to.have.length(1);
  });

  it('returns the same response for the same key and body, and creates one mailbox', async () => {
    const first = await create('k1', {}).expect(201);
    const again = await create('k1', {}).expect(201);
    expect(again.body).to.deep.equal(first.body);
    expect(first.headers).not.to.have.property('idempotency-replayed');
    expect(again.headers['idempotency-replayed']).to.equal('true');
    expect(await mailboxes()).to.have.length(1);
    await create('k2', {}).expect(201);
    expect(await mailboxes()).to.have.length(2);
  });

  it('sends once', async () => {
    await create('k', { name: 'box' }).expect(201);
    const body = { to: ['box@one.test'], subject: 'once' };
    const first = await send('k', body).expect(201);
    expect((await send('k', body).expect(201)).body).to.deep.equal(first.body);
    const { messages } = (await api.get('/api/mailboxes/box/messages').expect(200)).body;
    expect(messages).to.have.length(1);
  });

  it('shows the mailbox as it is now, and the ids of a deleted one', async () => {
    const body = { name: 'box', labels: { team: 'a' } };
    const { body: first } = await create('k', body).expect(201);
    await test.receive('box');
    expect((await create('k', body).expect(201)).body).to.deep.equal({ ...first, messageCount: 1 });
    await api.delete('/api/mailboxes/box').expect(204);
    await create('other', { name: 'box' }).expect(201);
    const { id, name, address, createdAt } = first;
    const again = await create('k', body).expect(201);
    expect(again.body).to.include({ id, name, address, createdAt, messageCount: 0 });
    expect(await mailboxes()).to.have.length(1);
  });

  it('returns the ids of a sent message that is deleted', async () => {
    await create('k', { name: 'box' }).expect(201);
    const body = { to: ['Box+Tag@one.test', 'box@one.test'], cc: ['box@one.test '], subject: 's' };
    const { body: first } = await send('k', body).expect(201);
    expect(first.deliveredTo).to.deep.equal(['box+tag@one.test', 'box@one.test']);
    await api.delete('/api/mailboxes/box/messages').expect(200);
    const again = await send('k', body).expect(201);
    expect(again.body).to.deep.equal(first);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    expect(await test.messages('box')).to.deep.equal([]);
  });

  it('keeps nothing of requests that created nothing', async () => {
    const body = { name: 'box', clientId: 'c', labels: { note: 'x'.repeat(100) } };
    await api.post('/api/mailboxes').send(body).expect(201);
    for (const key of ['a', 'b', 'c']) {
      const again = await create(key, body).expect(200);
      expect(again.headers).not.to.have.property('idempotency-replayed');
    }
    const claim = { timeout: 0 };
    await api
      .post('/api/mailboxes/box/messages/claim')
      .set('Idempotency-Key', 'd')
      .send(claim)
      .expect(200);
    expect(await entries()).to.deep.equal([]);
  });

  it('keeps the newest 10,000 of a workspace in less than 8 MB', async () => {
    const { context } = test;
    const requestOf = (key: string) => ({ ...request, key });
    const running = new Promise<never>(() => undefined);
    void perform(context, requestOf('running'), () => running);
    await perform(context, requestOf('failed'), () => Promise.reject(new Error('5xx'))).catch(
      () => undefined,
    );
    const large = 'x'.repeat(1200); // takes four places
    await perform(context, requestOf('large'), async () => ({ status: 201, body: large }));
    test.advance(1);
    const before = await memory(context);
    const small = 'x'.repeat(220);
    for (let n = 0; n < 10_000; n += 500) {
      const keys = Array.from({ length: 500 }, (_, k) => requestOf(`k${n + k}`));
      await Promise.all(
        keys.map((each) => perform(context, each, async () => ({ status: 201, body: small }))),
      );
      test.advance(1);
    }
    expect((await memory(context)) - before).to.be.below(8_000_000);
    expect(await entries()).to.have.length(10_002);
    const isKept = async (key: string) =>
      (await perform(context, requestOf(key), async () => ({ status: 201, body: '' }))).replayed;
    expect(await isKept('k9999')).to.equal(true);
    expect(await isKept('large')).to.equal(false);
    const error: unknown = await isKept('running').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AppError).with.property('code', 'request_running');
  });

  it('422: another body', async () => {
    await create('k', { name: 'one' }).expect(201);
    const answer = await create('k', { name: 'two' }).expect(422);
    expect(answer.body.code).to.equal('idempotency_mismatch');
  });

  it('409: the first request still running', async () => {
    const answers = await Promise.all([create('k', {}), create('k', {}), create('k', {})]);
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.id)).size).to.equal(1);
    for (const { status } of answers) expect(status).to.be.oneOf([201, 409]);
    expect(await mailboxes()).to.have.length(1);
  });

  it('400: an empty or overlong key', async () => {
    await create('x'.repeat(256), {}).expect(400);
  });

  it('503: Redis unavailable, and nothing created', async () => {
    await test.redis.kill();
    await create('k', {}).expect(503);
    expect(await mailboxes()).to.deep.equal([]);
  });

  it('creates nothing twice if a request is repeated after a 5xx', async () => {
    await create('box', { name: 'box' }).expect(201);
    const { transaction } = test.context.store;
    // The transaction is committed, but its answer is lost.
    Object.assign(test.context.store, {
      transaction: async (...args: Parameters<typeof transaction>) => {
        await transaction(...args);
        throw new AppError('unavailable', 'away');
      },
    });
    const body = { to: ['box@one.test'], subject: 'once' };
    try {
      await create('k', { name: 'made' }).expect(503);
      await send('s', body).expect(503);
    } finally {
      Object.assign(test.context.store, { transaction });
    }
    const made = await create('k', { name: 'made' }).expect(201);
    const sent = await send('s', body).expect(201);
    expect(await mailboxes()).to.have.length(2);
    const { messages } = (await api.get('/api/mailboxes/box/messages').expect(200)).body;
    expect(messages).to.have.length(1);
    // The second answer is kept.
    const again = await create('k', { name: 'made' }).expect(201);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    expect(again.body).to.deep.equal(made.body);
    expect((await send('s', body).expect(201)).body).to.deep.equal(sent.body);
  });

  it('does not store a 4xx response', async () => {
    await create('k', { name: '!' }).expect(422);
    await create('k', { name: 'fine' }).expect(201);
  });

  it('is specific to workspace, operation and day', async () => {
    const run = async (owner: string, operation: string) =>
      (
        await perform(
          test.context,
          { workspaceId: owner, owner, operation, key: 'k', body: 1 },
          async (seed) => ({
            status: 201,
            body: seed,
          }),
        )
      ).body;
    const first = await run('a', 'x');
    expect(await run('a', 'x')).to.equal(first);
    expect(await run('b', 'x')).not.to.equal(first);
    expect(await run('a', 'y')).not.to.equal(first);
    const [key] = await entries();
    expect(await test.context.redis.pttl(key!)).to.be.within(86_300_000, 86_400_000);
  });

  const request = {
    workspaceId: 'wsp_1',
    owner: 'wsp_1',
    operation: 'POST /api/mailboxes',
    key: 'k',
    body: {},
  };

  it('responds with success even if Redis fails before the response is stored', async () => {
    const seeds: string[] = [];
    const run = async (seed: string) => {
      seeds.push(seed);
      return { status: 201, body: 'made' };
    };
    const first = await perform(test.context, request, async (seed) => {
      await test.redis.kill();
      return run(seed);
    });
    expect(first).to.deep.equal({ status: 201, body: 'made', replayed: false });

    await test.redis.start();
    await eventually('Redis', () => test.context.redis.status === 'ready');
    test.advance(61_000);
    expect(await perform(test.context, request, run)).to.deep.equal(first);
    expect(seeds[1]).to.equal(seeds[0]);
  });

  it('recognizes its own entry after a lost reply', async () => {
    const { redis } = test.context;
    const set = async (...given: Parameters<typeof redis.set>) => {
      await redis.set(...given);
      return null; // the reply to the same command repeated on a new connection
    };
    const context = { ...test.context, redis: Object.create(redis, { set: { value: set } }) };
    const answer = { status: 201, body: 'made' };
    expect(await perform(context, request, async () => answer)).to.include(answer);
  });

  it('stays with a slow request', async () => {
    let finish: () => void = () => undefined;
    const first = perform(test.context, request, async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return { status: 201, body: 'made' };
    });
    await eventually('the entry', async () => (await entries()).length > 0);
    test.advance(8_000);
    const repeat: unknown = await perform(test.context, request, async () => ({
      status: 201,
      body: 'made again',
    })).catch((e: unknown) => e);
    expect(repeat).to.be.instanceOf(AppError).with.property('code', 'request_running');
    finish();
    expect(await first).to.include({ body: 'made' });
    const replayed = await perform(test.context, request, async () => ({ status: 500, body: '' }));
    expect(replayed).to.include({ body: 'made', replayed: true });
  });

  it('creates nothing twice if a repeat runs beside a request of more than 15 s', async () => {
    const { context, caller } = test;
    let resume: () => void = () => undefined;
    const seeds: string[] = [];
    const create = async (seed: string) => {
      seeds.push(seed);
      if (seeds.length === 1) await new Promise<void>((resolve) => (resume = resolve));
      return { status: 201, body: (await createMailbox(context, caller, undefined, seed)).id };
    };
    const first = perform(context, request, create);
    await eventually('the first run', () => seeds.length === 1);
    test.advance(15_001);
    const repeat = perform(context, request, async (seed) => {
      resume();
      return create(seed);
    });
    const ids = (await Promise.all([first, repeat])).map(({ body }) => body);
    expect(new Set(ids).size).to.equal(1);
    expect(await mailboxes()).to.have.length(1);
    expect(await perform(context, request, create)).to.include({ body: ids[0], replayed: true });
  });

  for (const name of ['box', undefined]) {
    it(`creates the mailbox that an earlier run has undone: ${name ?? 'with a generated name'}`, async () => {
      const { context, caller } = test;
      const seed = newSeed(context.now());
      const add = () => Promise.reject(new Error('away'));
      const directory = Object.create(context.directory, {
        add: { value: add },
      }) as RecipientDirectory;
      const refused = createMailbox({ ...context, directory }, caller, name, seed);
      expect(await refused.catch((e: unknown) => (e as AppError).code)).to.equal('unavailable');
      const made = await createMailbox(context, caller, name, seed);
      const [shown, ...others] = await mailboxes();
      expect(shown).to.include({ id: made.id, name: name ?? made.name });
      expect(others).to.deep.equal([]);
    });
  }

  it('continues with the same seed after a request crashed', async () => {
    const request = { workspaceId: 'a', owner: 'a', operation: 'x', key: 'k', body: 1 };
    const seeds: string[] = [];
    const died = perform(test.context, request, async (seed) => {
      seeds.push(seed);
      throw new Error('died');
    });
    expect(await died.catch((e: unknown) => (e as Error).message)).to.equal('died');
    // like a killed process: it never concludes
    const { redis } = test.context;
    let lives = true;
    let end: () => void = () => undefined;
    const command = (...given: Parameters<typeof redis.eval>) =>
      lives ? redis.eval(...given) : Promise.reject(new Error('killed'));
    const killed = Object.create(redis, { eval: { value: command } });
    const ended = perform({ ...test.context, redis: killed }, request, async (seed) => {
      seeds.push(seed);
      lives = false;
      await new Promise<void>((resolve) => (end = resolve));
      return { status: 201, body: null };
    });
    await eventually('the second run', () => seeds.length === 2);
    const running: unknown = await perform(test.context, request, async () => ({
      status: 201,
      body: null,
    })).catch((e: unknown) => e);
    expect(running).to.be.instanceOf(AppError).with.property('code', 'request_running');
    test.advance(15_001);
    await perform(test.context, request, async (seed) => {
      seeds.push(seed);
      return { status: 201, body: null };
    });
    expect(new Set(seeds).size).to.equal(1);
    expect(seeds).to.have.length(3);
    end();
    await ended;
  });
});

/** Bytes that Redis uses. */
async function memory({ redis }: Context): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}
