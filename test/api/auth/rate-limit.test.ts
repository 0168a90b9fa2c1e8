import { expect } from 'chai';
import { type CreatedWorkspace, createWorkspace } from '../../../core/workspaces/workspaces.ts';
import { openTestApi } from '../../support/context/api.ts';
import { type TestContext } from '../../support/context/context.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

const UNKNOWN = `mf_${'x'.repeat(43)}`;

describe('rate limits over HTTP', () => {
  const test = service({
    env: {
      ...{ RATE_LIMIT_FREE: '3', RATE_LIMIT_PRO: '50', RATE_LIMIT_AUTH_FAILURES: '2' },
      // Counting waits for Redis for a sixth of it.
      ...{ TRUST_PROXY: '1', REDIS_TIMEOUT_MS: '60000' },
    },
  });
  const { api } = test;
  let free: CreatedWorkspace;
  let second: string;

  const begin = async () => {
    free = await createWorkspace(test.context, { name: 'f', domain: 'free.test', plan: 'free' });
    const { body } = await api.post('/api/tokens').send({ name: 'second' }).expect(201);
    second = body.token as string;
    // All requests of a test belong to one minute.
    test.advance(60_000 - (test.context.now() % 60_000));
  };
  beforeEach(begin);
  const openQuick = async () => {
    await test.reopen({ REDIS_TIMEOUT_MS: '3000' });
    await begin();
  };

  const read = (token = free.token) => api.get('/api/mailboxes', token);
  const useUp = async () => {
    for (let n = 0; n < 3; n += 1) await read().expect(200);
  };
  const guess = (address: string, token = UNKNOWN) =>
    api.get('/api/mailboxes', token).set('X-Forwarded-For', address);

  it('200: every response has the remaining quota', async () => {
    const { headers } = await read().expect(200);
    expect(headers['ratelimit-policy']).to.equal('"workspace";q=3;w=60');
    expect(headers.ratelimit).to.match(/^"workspace";r=2;t=(?:60|[45]\d)$/);
    expect((await api.get('/api/nowhere', free.token).expect(404)).headers.ratelimit).to.contain(
      '"workspace";r=1;',
    );
  });

  it('429: one request above the limit, until the minute ends', async () => {
    const began = Date.now();
    await useUp();
    test.advance(20_000);
    const answer = await read().expect(429);
    expect(answer.body).to.include({ code: 'rate_limited' });
    const wait = Number(answer.headers['retry-after']);
    expect(wait).to.be.within(39 - Math.ceil((Date.now() - began) / 1000), 40);
    expect(answer.headers.ratelimit).to.equal(`"workspace";r=0;t=${wait}`);
    test.advance(wait * 1000);
    await read().expect(200);
  });

  it('429: before the body is read', async () => {
    await useUp();
    await api
      .post('/api/mailboxes', free.token)
      .set('Content-Type', 'application/json')
      .send('{')
      .expect(429);
  });

  it('429: counted over all tokens and processes, also for concurrent requests', async () => {
    const apis = [api, openTestApi({ ...test, context: await test.another() })];
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, n) =>
        apis[n % 2]!.get('/api/mailboxes', n % 3 ? second : test.workspace.token),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(50);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(30);
  });

  it('200: workspaces have separate limits, and health checks have none', async () => {
    await useUp();
    await read().expect(429);
    await read(test.workspace.token).expect(200);
    const { headers } = await api.get('/healthz', null).expect(200);
    expect(headers).to.not.have.any.keys('ratelimit', 'ratelimit-policy');
  });

  it('401, then 429: invalid tokens of one address; valid tokens are not affected', async () => {
    for (const left of [1, 0]) {
      const { headers } = await guess('192.0.2.1').expect(401);
      expect(headers['ratelimit-policy']).to.equal('"invalid-tokens";q=2;w=60');
      expect(headers.ratelimit).to.contain(`"invalid-tokens";r=${left};`);
    }
    const refused = await guess('192.0.2.1', 'malformed').expect(429);
    expect(refused.body).to.include({ code: 'rate_limited' });
    expect(refused.headers['retry-after']).to.match(/^\d+$/);
    await guess('192.0.2.1', free.token).expect(200);
    await guess('192.0.2.2').expect(401);
    await api.get('/api/mailboxes', null).set('X-Forwarded-For', '192.0.2.1').expect(401);
    test.advance(60_000);
    await guess('192.0.2.1').expect(401);
  });

  it('429: the address is that of the trusted proxy header, and IPv6 addresses count per /64', async () => {
    await guess('2001:db8:1:2::a').expect(401);
    await guess('198.51.100.7, 2001:db8:1:2:ffff::b').expect(401);
    await guess('198.51.100.8, 2001:db8:1:2::c').expect(429);
    await guess('2001:db8:1:3::a').expect(401);
  });

  for (const [what, leave] of [
    ['gone', (redis: TestContext['redis']) => redis.kill()],
    [
      'hanging',
      async (redis: TestContext['redis']) => {
        redis.pause();
      },
    ],
  ] as const) {
    it(`429 and never 5xx: each process counts separately while Redis is ${what}`, async () => {
      await openQuick();
      await leave(test.redis);
      const answers = [];
      for (let n = 0; n < 4; n += 1) answers.push(await read());
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 429]);
      for (let n = 0; n < 2; n += 1) await guess('192.0.2.1').expect(401);
      await guess('192.0.2.1').expect(429);
    });
  }

  it('200: counts in Redis again once it is available', async () => {
    await openQuick();
    await test.redis.kill();
    await read().expect(200);
    await test.redis.start();
    await eventually('a count in Redis', async () => {
      test.advance(60_000);
      await read().expect(200);
      if (test.context.redis.status !== 'ready') return false;
      return (await test.context.redis.keys('{mayfly}:count:workspace:*')).length > 0;
    });
  });

  it('429: requests above the limit are not counted in Redis', async () => {
    await useUp();
    for (let n = 0; n < 3; n += 1) await read().expect(429);
    const { redis } = test.context;
    const [key] = await redis.keys(`{mayfly}:count:workspace:${free.workspaceId}:*`);
    expect(await redis.get(key!)).to.equal('3');
  });

  it('does not write counters to the append-only file', async () => {
    const size = async () =>
      Number(/aof_current_size:(\d+)/.exec(await test.context.redis.info('persistence'))?.[1]);
    const before = await size();
    await useUp();
    expect(await size()).to.equal(before);
  });
});

describe('rate limits of 0', () => {
  const { api } = service({ env: { RATE_LIMIT_PRO: '0', RATE_LIMIT_AUTH_FAILURES: '0' } });

  it('200: no limit, and no header fields', async () => {
    const { headers } = await api.get('/api/mailboxes').expect(200);
    expect(headers).to.not.have.any.keys('ratelimit', 'ratelimit-policy');
    await api.get('/api/mailboxes', UNKNOWN).expect(401);
  });
});
