/** Deliveries to forbidden targets: nothing is sent, and no address is revealed. */
import { expect } from 'chai';
import { LookupsBusy, type Resolve } from '../../../core/egress/dns.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { fire } from '../../support/context/fire.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import { lookedUp } from '../../support/context/webhook-call.ts';
import { QUICK_WEBHOOKS, openWebhookBench } from '../../support/context/webhooks.ts';
import { whileWorking } from '../../support/context/workers.ts';

const PUBLIC_ONLY = {
  ...QUICK_WEBHOOKS,
  WEBHOOK_ALLOWED_CIDRS: '',
  WEBHOOK_RETRY_SCHEDULE_MS: '20,20',
};

describe('deliveries to forbidden targets', () => {
  let test: TestContext;
  let receiver: Receiver;
  let looked: string[];
  /** The result of each lookup in turn; the last one repeats. */
  let answers: string[][];

  const resolve: Resolve = async (hostname) => {
    looked.push(hostname);
    const found = answers[looked.length - 1] ?? answers.at(-1);
    if (!found) throw new LookupsBusy(hostname);
    return found.map(lookedUp);
  };
  const open = async (env: Record<string, string>) => {
    test = await openTestContext(env, { resolve });
    return test;
  };

  beforeEach(async () => {
    looked = [];
    answers = [['127.0.0.1']];
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await receiver.close();
    await test.close();
  });

  it('are blocked, retried and abandoned, and reveal no address', async () => {
    const context = await open(PUBLIC_ONLY);
    const bench = await openWebhookBench(context, `http://hooks.example.com:${receiver.port}/`);
    await whileWorking(context, [deliverWebhook], async () => {
      await bench.mail();
      await bench.settled('abandoned');
    });
    const attempts = await bench.attempts();
    expect(attempts.map(({ outcome }) => outcome)).to.deep.equal(Array(3).fill('blocked_address'));
    expect(looked).to.deep.equal(Array(3).fill('hooks.example.com'));
    expect(receiver.received).to.deep.equal([]);

    const api = openTestApi(context);
    const { body, text } = await api
      .get(`/api/mailboxes/box/webhooks/${bench.webhook.id}/deliveries`)
      .expect(200);
    expect(body.deliveries[0]).to.include({ state: 'abandoned', reason: 'blocked_address' });
    expect(body.deliveries[0].attempts[0]).to.include({
      outcome: 'blocked_address',
      statusCode: null,
      excerpt: null,
    });
    expect(text).not.to.include('127.0.0.1').and.not.to.include('ECONN');
    const jobs = await jobsIn(context);
    expect(jobs).to.include('abandoned: blocked_address').and.not.to.include('127.0.0.1');
  });

  it('succeed as soon as the name resolves to an allowed address', async () => {
    const context = await open({ ...PUBLIC_ONLY, WEBHOOK_ALLOWED_CIDRS: '127.0.0.1/32' });
    const bench = await openWebhookBench(context, `http://hooks.example.com:${receiver.port}/`);
    answers = [['127.0.0.2'], ['127.0.0.1']];
    await whileWorking(context, [deliverWebhook], async () => {
      await bench.mail();
      await bench.settled('delivered');
    });
    const attempts = await bench.attempts();
    expect(attempts.map(({ outcome }) => outcome)).to.deep.equal(['blocked_address', 'delivered']);
    expect(receiver.received).to.have.length(1);
  });

  it('are blocked after the operator has changed the rules', async () => {
    const context = await open({ ...QUICK_WEBHOOKS, WEBHOOK_RETRY_SCHEDULE_MS: '20' });
    const bench = await openWebhookBench(context, receiver.url);
    for (const change of [{ allowedCidrs: [] }, { allowHttp: false }]) {
      const config = {
        ...context.config,
        webhooks: { ...context.config.webhooks, ...change },
      };
      const changed = { ...context, config, context: { ...context.context, config } };
      await whileWorking(changed, [deliverWebhook], async () => {
        await bench.mail();
        await bench.settled('abandoned');
      });
      const outcomes = (await bench.attempts()).slice(-2).map(({ outcome }) => outcome);
      expect(outcomes).to.deep.equal(['blocked_address', 'blocked_address']);
    }
    expect(receiver.received).to.deep.equal([]);
  });

  it('do not count as attempts if no lookup slot was free', async () => {
    answers = [];
    const context = await open(QUICK_WEBHOOKS);
    const bench = await openWebhookBench(context, `http://hooks.example.com:${receiver.port}/`);
    await bench.mail();
    const [delivery] = await bench.deliveries();
    const before = context.context.now();
    expect(await fire(context.context, delivery!)).to.deep.include({ kind: 'later' });
    const after = context.context.now();
    const [left] = await bench.deliveries();
    expect(left).to.include({ state: 'pending', attempts: 0, failures: 0, interruptions: 0 });
    expect(left!.nextAttemptAt!.getTime()).to.be.within(before + 1000, after + 5000);
    expect(await bench.attempts()).to.deep.equal([]);
  });

  it('are not made through a redirect', async () => {
    const context = await open({ ...QUICK_WEBHOOKS, WEBHOOK_RETRY_SCHEDULE_MS: '20' });
    const bench = await openWebhookBench(context, `http://hooks.example.com:${receiver.port}/`);
    receiver.answer((_req, res) => {
      res.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    });
    await whileWorking(context, [deliverWebhook], async () => {
      await bench.mail();
      await bench.settled('abandoned');
    });
    const attempts = await bench.attempts();
    expect(attempts.map(({ statusCode }) => statusCode)).to.deep.equal([307, 307]);
    expect(new Set(looked)).to.deep.equal(new Set(['hooks.example.com']));
  });
});

/** All job data in Redis, as shown to the operator. */
async function jobsIn({ context: { redis } }: TestContext): Promise<string> {
  const keys = await redis.keys('*:deliver-webhook:*');
  const jobs = await Promise.all(
    keys.map(async (key) => ((await redis.type(key)) === 'hash' ? redis.hgetall(key) : null)),
  );
  return JSON.stringify(jobs);
}
