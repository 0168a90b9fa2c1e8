import { expect } from 'chai';
import { once } from '../../../core/redis/idempotency.ts';
import type { Directory } from '../../../core/directory/recipients.ts';
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

  it('does not store a 4xx response', async () => {
    await create('k', { name: '!' }).expect(422);
    await create('k', { name: 'fine' }).expect(201);
  });

  it('is specific to workspace, operation and day', async () => {
    const run = async (owner: string, operation: string) =>
      (
        await once(test.context, { owner, operation, key: 'k', body: 1 }, async (seed) => ({
          status: 201,
          body: seed,
        }))
      ).body;
    const first = await run('a', 'x');
    expect(await run('a', 'x')).to.equal(first);
    expect(await run('b', 'x')).not.to.equal(first);
    expect(await run('a', 'y')).not.to.equal(first);
    const [key] = await test.context.redis.keys('*:idempotency:*');
    expect(await test.context.redis.pttl(key!)).to.be.within(86_300_000, 86_400_000);
  });

  const request = {
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
    const first = await once(test.context, request, async (seed) => {
      await test.redis.kill();
      return run(seed);
    });
    expect(first).to.deep.equal({ status: 201, body: 'made', replayed: false });

    await test.redis.start();
    await eventually('Redis', () => test.context.redis.status === 'ready');
    test.advance(61_000);
    expect(await once(test.context, request, run)).to.deep.equal(first);
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
    expect(await once(context, request, async () => answer)).to.include(answer);
  });

  it('stays with a slow request', async () => {
    let finish: () => void = () => undefined;
    const first = once(test.context, request, async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return { status: 201, body: 'made' };
    });
    await eventually(
      'the entry',
      async () => (await test.context.redis.keys('*:idempotency:*')).length > 0,
    );
    test.advance(8_000);
    const repeat: unknown = await once(test.context, request, async () => ({
      status: 201,
      body: 'made again',
    })).catch((e: unknown) => e);
    expect(repeat).to.be.instanceOf(AppError).with.property('code', 'request_running');
    finish();
    expect(await first).to.include({ body: 'made' });
    const replayed = await once(test.context, request, async () => ({ status: 500, body: '' }));
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
    const first = once(context, request, create);
    await eventually('the first run', () => seeds.length === 1);
    test.advance(15_001);
    const repeat = once(context, request, async (seed) => {
      resume();
      return create(seed);
    });
    const ids = (await Promise.all([first, repeat])).map(({ body }) => body);
    expect(new Set(ids).size).to.equal(1);
    expect(await mailboxes()).to.have.length(1);
    expect(await once(context, request, create)).to.include({ body: ids[0], replayed: true });
  });

  for (const name of ['box', undefined]) {
    it(`creates the mailbox that an earlier run has undone: ${name ?? 'with a generated name'}`, async () => {
      const { context, caller } = test;
      const seed = newSeed(context.now());
      const add = () => Promise.reject(new Error('away'));
      const directory = Object.create(context.directory, { add: { value: add } }) as Directory;
      const refused = createMailbox({ ...context, directory }, caller, name, seed);
      expect(await refused.catch((e: unknown) => (e as AppError).code)).to.equal('unavailable');
      const made = await createMailbox(context, caller, name, seed);
      const [shown, ...others] = await mailboxes();
      expect(shown).to.include({ id: made.id, name: name ?? made.name });
      expect(others).to.deep.equal([]);
    });
  }

  it('continues with the same seed after a request crashed', async () => {
    const request = { owner: 'a', operation: 'x', key: 'k', body: 1 };
    const seeds: string[] = [];
    const died = once(test.context, request, async (seed) => {
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
    const ended = once({ ...test.context, redis: killed }, request, async (seed) => {
      seeds.push(seed);
      lives = false;
      await new Promise<void>((resolve) => (end = resolve));
      return { status: 201, body: null };
    });
    await eventually('the second run', () => seeds.length === 2);
    const running: unknown = await once(test.context, request, async () => ({
      status: 201,
      body: null,
    })).catch((e: unknown) => e);
    expect(running).to.be.instanceOf(AppError).with.property('code', 'request_running');
    test.advance(15_001);
    await once(test.context, request, async (seed) => {
      seeds.push(seed);
      return { status: 201, body: null };
    });
    expect(new Set(seeds).size).to.equal(1);
    expect(seeds).to.have.length(3);
    end();
    await ended;
  });
});
