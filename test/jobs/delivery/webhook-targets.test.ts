/** Deliveries to forbidden targets: nothing is sent, and no address is revealed. */
import { expect } from 'chai';
import { LookupsBusy, type Resolve } from '../../../core/egress/dns.ts';
import { type Service, service } from '../../support/service.ts';
import { lookedUp } from '../../support/context/webhook-call.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../../support/context/webhooks.ts';

describe('deliveries to forbidden targets', () => {
  let looked: string[];
  /** The result of each lookup in turn; the last one repeats. */
  let answers: string[][];

  const resolve: Resolve = async (hostname) => {
    looked.push(hostname);
    const found = answers[looked.length - 1] ?? answers.at(-1);
    if (!found) throw new LookupsBusy(hostname);
    return found.map(lookedUp);
  };
  beforeEach(() => {
    looked = [];
    answers = [['127.0.0.1']];
  });
  const test = service({
    env: { ...QUICK_WEBHOOKS, WEBHOOK_RETRY_SCHEDULE_MS: '20,20' },
    overrides: { resolve },
  });
  const bench = webhookTest(test, ({ port }) => `http://hooks.example.com:${port}/`);
  const { receiver, attempt, outcomes } = bench;

  /** A mail whose delivery ends in this state. */
  const settled = (state: 'abandoned' | 'delivered', context = test.context) =>
    bench.working(async () => {
      await bench.mail();
      await bench.settled(state);
    }, context);

  it('are blocked, retried and abandoned, and reveal no address', async () => {
    await bench.reopen({ WEBHOOK_ALLOWED_CIDRS: '' });
    await settled('abandoned');
    expect(await outcomes()).to.deep.equal(Array(3).fill('blocked_address'));
    expect(looked).to.deep.equal(Array(3).fill('hooks.example.com'));
    expect(receiver.received).to.deep.equal([]);

    const { body, text } = await test.api
      .get(`/api/mailboxes/box/webhooks/${bench.webhook.id}/deliveries`)
      .expect(200);
    expect(body.deliveries[0]).to.include({ state: 'abandoned', reason: 'blocked_address' });
    expect(body.deliveries[0].attempts[0]).to.include({
      outcome: 'blocked_address',
      statusCode: null,
      excerpt: null,
    });
    expect(text).not.to.include('127.0.0.1').and.not.to.include('ECONN');
    const jobs = await jobsIn(test);
    expect(jobs).to.include('abandoned: blocked_address').and.not.to.include('127.0.0.1');
  });

  it('succeed as soon as the name resolves to an allowed address', async () => {
    await bench.reopen({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' });
    answers = [['127.0.0.2'], ['127.0.0.1']];
    await settled('delivered');
    expect(await outcomes()).to.deep.equal(['blocked_address', 'delivered']);
    expect(receiver.received).to.have.length(1);
  });

  it('are blocked after the operator has changed the rules', async () => {
    await bench.reopen({ WEBHOOK_RETRY_SCHEDULE_MS: '20' });
    for (const change of [{ allowedCidrs: [] }, { allowHttp: false }]) {
      const config = { ...test.config, webhooks: { ...test.config.webhooks, ...change } };
      await settled('abandoned', { ...test.context, config });
      expect((await outcomes()).slice(-2)).to.deep.equal(['blocked_address', 'blocked_address']);
    }
    expect(receiver.received).to.deep.equal([]);
  });

  it('do not count as attempts if no lookup slot was free', async () => {
    answers = [];
    const delivery = await bench.owed();
    const before = test.context.now();
    expect(await attempt(delivery)).to.deep.include({ kind: 'later' });
    const after = test.context.now();
    const [left] = await bench.deliveries();
    expect(left).to.include({ state: 'pending', attempts: 0, failures: 0, interruptions: 0 });
    expect(left!.nextAttemptAt!.getTime()).to.be.within(before + 1000, after + 5000);
    expect(await bench.attempts()).to.deep.equal([]);
  });

  it('are not made through a redirect', async () => {
    await bench.reopen({ WEBHOOK_RETRY_SCHEDULE_MS: '20' });
    receiver.answer((_req, res) => {
      res.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    await settled('abandoned');
    const attempts = await bench.attempts();
    expect(attempts.map(({ statusCode }) => statusCode)).to.deep.equal([307, 307]);
    expect(new Set(looked)).to.deep.equal(new Set(['hooks.example.com']));
  });
});

/** All job data in Redis, as shown to the operator. */
async function jobsIn({ context: { redis } }: Service): Promise<string> {
  const keys = await redis.keys('*:deliver-webhook:*');
  const jobs = await Promise.all(
    keys.map(async (key) => ((await redis.type(key)) === 'hash' ? redis.hgetall(key) : null)),
  );
  return JSON.stringify(jobs);
}
