/** Receivers that hang, and deliveries to others meanwhile. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import type { Caller } from '../../../core/auth/caller.ts';
import { verifyToken } from '../../../core/auth/tokens.ts';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import { createWorkspace } from '../../../core/workspaces/workspaces.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { deliverMail } from '../../support/context/deliver.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import { QUICK_WEBHOOKS } from '../../support/context/webhooks.ts';
import { queueOf, whileWorking } from '../../support/context/workers.ts';

const SMALL = 'Subject: small\r\n\r\nsmall\r\n';
const LARGE = `Subject: large\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(16_000)}`;
const CONCURRENCY = 20;

describe('deliveries beside hanging receivers', () => {
  let test: TestContext;
  let receiver: Receiver;
  let hanging: ServerResponse[];

  beforeEach(async () => {
    test = await openTestContext({
      ...QUICK_WEBHOOKS,
      WEBHOOK_TIMEOUT_MS: '120000',
      WEBHOOK_RETRY_SCHEDULE_MS: '3600000',
      WEBHOOK_CONCURRENCY: `${CONCURRENCY}`,
    });
    receiver = await openReceiver();
    hanging = [];
    receiver.answer((_req, res, { path }) => {
      if (path.startsWith('/hang')) hanging.push(res);
      else res.writeHead(path.startsWith('/fail') ? 500 : 204).end();
    });
  });
  afterEach(async () => {
    await receiver.close();
    await test.close();
  });

  /** Hanging receivers hang until `during` ends. */
  const working = (during: () => Promise<unknown>) =>
    whileWorking(test, [deliverWebhook], async () => {
      try {
        await during();
      } finally {
        receiver.answer(204);
        for (const res of hanging) res.writeHead(204).end();
      }
    });

  /** A mailbox with one webhook per path. */
  const open = async (name: string, paths: string[], caller: Caller = test.caller) => {
    await createMailbox(test.context, caller, name);
    for (const path of paths) {
      await registerWebhook(test.context, caller, name, new URL(path, receiver.url).href);
    }
  };
  const mail = (names: string[], raw = SMALL, domain = 'one.test') =>
    deliverMail(
      test.context,
      names.map((name) => `${name}@${domain}`),
      raw,
    );
  const called = (path: string, count = 1) =>
    eventually(
      `${count} calls of ${path}`,
      () => receiver.received.filter((one) => one.path.startsWith(path)).length >= count,
    );

  it('to a new webhook start at once, whatever failing ones of its workspace hold', async () => {
    const failing = Array.from({ length: 8 }, (_, n) => `failing-${n}`);
    for (const name of failing) await open(name, [`/fail/${name}`]);
    await open(
      'new',
      Array.from({ length: 4 }, (_, n) => `/new/${n}`),
    );
    await working(async () => {
      await mail(failing);
      await called('/fail', failing.length);
      receiver.answer((_req, res, { path }) => {
        if (path.startsWith('/new')) res.writeHead(204).end();
        else hanging.push(res);
      });
      for (let n = 0; n < 3; n += 1) await mail(failing);
      await eventually('calls that hang', () => hanging.length >= 3);
      await mail(['new']);
      await called('/new', 4);
    });
  });

  it('to a new webhook start soon, also when other new ones hang', async () => {
    const others = Array.from({ length: 6 }, (_, n) => `other-${n}`);
    for (const name of others) await open(name, [`/hang/${name}`]);
    await open('new', ['/new']);
    await working(async () => {
      await mail(others);
      await mail(['new']);
      await called('/new');
      await called('/hang', others.length);
    });
  });

  it('with large bodies reach other receivers in every workspace', async () => {
    const { token } = await createWorkspace(test.context, {
      name: 'two',
      domain: 'two.test',
      plan: 'pro',
    });
    const neighbour = await verifyToken(test.context, token);
    await open(
      'bad',
      Array.from({ length: 6 }, (_, n) => `/hang/${n}`),
    );
    await open('good', ['/good']);
    await open('new', ['/new'], neighbour!);
    await working(async () => {
      await mail(['good'], LARGE);
      await called('/good');
      for (let n = 0; n < 3; n += 1) await mail(['bad'], LARGE);
      const queue = queueOf(test.context, deliverWebhook);
      await eventually(
        'all to be under way or put back',
        async () => hanging.length > 0 && hanging.length + (await queue.getDelayedCount()) === 18,
      );
      await queue.close();
      await mail(['new'], LARGE, 'two.test');
      await called('/new');
      for (let n = 2; n <= 4; n += 1) {
        await mail(['good'], LARGE);
        await mail(['new'], LARGE, 'two.test');
        await called('/good', n);
        await called('/new', n);
      }
      expect(hanging, 'still').to.have.length(1);
    });
  });
});
