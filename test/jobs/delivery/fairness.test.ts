/** Receivers that hang, and deliveries to others meanwhile. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Caller } from '../../../core/auth/caller.ts';
import { verifyToken } from '../../../core/auth/tokens.ts';
import { createMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { registerWebhook } from '../../../core/webhooks/webhooks.ts';
import { deliverWebhook } from '../../../jobs/deliver-webhook.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type Receiver, openReceiver } from '../../support/servers/receiver.ts';
import { service } from '../../support/service.ts';
import { QUICK_WEBHOOKS } from '../../support/context/webhooks.ts';
import { whileWorking } from '../../support/context/workers.ts';

const SMALL = 'Subject: small\r\n\r\nsmall\r\n';
const LARGE = `Subject: large\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(16_000)}`;
const CONCURRENCY = 20;

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}-${n}`);

describe('deliveries beside hanging receivers', () => {
  let receiver: Receiver;
  let hanging: ServerResponse[];
  /** Paths of receivers that hang. */
  let hangs: RegExp;
  let neighbor: Caller;

  const test = service({
    env: {
      ...QUICK_WEBHOOKS,
      WEBHOOK_TIMEOUT_MS: '120000',
      WEBHOOK_RETRY_SCHEDULE_MS: '3600000',
      WEBHOOK_CONCURRENCY: `${CONCURRENCY}`,
    },
  });
  beforeEach(async () => {
    neighbor = (await verifyToken(test.context, await test.stranger()))!;
    receiver = await openReceiver();
    hanging = [];
    hangs = /^\/hang/;
    receiver.answer((_req, res, { path }) => {
      if (hangs.test(path)) hanging.push(res);
      else res.writeHead(path.startsWith('/fail') ? 500 : 204).end();
    });
  });
  afterEach(() => receiver.close());

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
  const open = async (name: string, paths = [`/${name}`], caller = test.caller) => {
    await createMailbox(test.context, caller, name);
    for (const path of paths) {
      await registerWebhook(test.context, caller, name, new URL(path, receiver.url).href);
    }
    return `${name}@${caller.workspace.domain}`;
  };
  const openAll = async (names: string[], caller?: Caller) => {
    const addresses: string[] = [];
    for (const name of names) addresses.push(await open(name, undefined, caller));
    return addresses;
  };
  const mail = (to: string | string[], raw = SMALL) => test.deliver(to, raw);
  const called = (path: string, count = 1) =>
    eventually(
      `${count} calls of ${path}`,
      () => receiver.received.filter((one) => one.path.startsWith(path)).length >= count,
    );
  /** Resolves when so many jobs hang or are put back, of which some hang. */
  const isSettled = async (count: number) => {
    const queue = await test.context.queues.open(deliverWebhook);
    await eventually(
      'all to be under way or put back',
      async () => hanging.length > 0 && hanging.length + (await queue.getDelayedCount()) === count,
    );
  };

  it('to a new webhook start at once, whatever failing ones of its workspace hold', async () => {
    const failing = await openAll(numbered('fail', 8));
    const other = await open('new', numbered('/new', 4));
    await working(async () => {
      await mail(failing);
      await called('/fail', failing.length);
      hangs = /^\/fail/;
      for (let n = 0; n < 3; n += 1) await mail(failing);
      await eventually('calls that hang', () => hanging.length >= 3);
      await mail(other);
      await called('/new', 4);
    });
  });

  it('to a new webhook start soon, also when other new ones hang', async () => {
    const others = await openAll(numbered('hang', 6));
    const other = await open('new');
    await working(async () => {
      await mail(others);
      await mail(other);
      await called('/new');
      await called('/hang', others.length);
    });
  });

  for (const [what, path, answers, atOnce] of [
    ['that has not answered yet', '/hang', 0, 2],
    ['that has failed', '/fail', 1, 1],
    ['that has answered', '/good', 1, 10],
  ] as const) {
    it(`to one ${what} are ${atOnce} at a time`, async () => {
      const box = await open('box', [path]);
      await working(async () => {
        for (let n = 0; n < answers; n += 1) await mail(box);
        await called(path, answers);
        const queue = await test.context.queues.open(deliverWebhook);
        await eventually('an idle queue', async () => (await queue.getActiveCount()) === 0);
        const retries = await queue.getDelayedCount();
        hangs = /./;
        for (let n = 0; n < 14; n += 1) await mail(box);
        await isSettled(14 + retries);
        expect(hanging).to.have.length(atOnce);
      });
    });
  }

  it('to one that timed out wait in the queue as long as it hung', async () => {
    const TIMEOUT_MS = 2100;
    await test.reopen({ WEBHOOK_TIMEOUT_MS: `${TIMEOUT_MS}` });
    const box = await open('box', ['/hang']);
    const queue = await test.context.queues.open(deliverWebhook);
    await working(async () => {
      await mail(box);
      await eventually('the timeout', async () => (await queue.getDelayedCount()) === 1);
      await mail(box);
      const jobs = await eventually('the next', async () => {
        const delayed = await queue.getDelayed();
        return delayed.length === 2 && delayed;
      });
      const next = Math.min(...jobs.map(({ delay }) => delay));
      expect(next).to.be.within(TIMEOUT_MS, 2 * TIMEOUT_MS);
    });
    expect(hanging).to.have.length(1);
  });

  it('use less than half of the places if the receivers have failed before', async () => {
    const failing = [
      ...(await openAll(numbered('fail', 12))),
      ...(await openAll(numbered('fail', 12), neighbor)),
    ];
    await working(async () => {
      await mail(failing);
      await called('/fail', 24);
      hangs = /^\/fail/;
      await mail(failing);
      await isSettled(48);
      expect(hanging).to.have.length.below(CONCURRENCY / 2);
    });
  });

  for (const [what, bad, good, webhooks = 1] of [
    [
      'to one that answers start at once, however many new ones of several workspaces hang',
      async () => [
        ...(await openAll(numbered('hang', 15))),
        ...(await openAll(numbered('hang', 15), neighbor)),
      ],
      () => test.caller,
    ],
    [
      'to a new webhook of another workspace start at once, however many of one hang',
      () => openAll(numbered('hang', 25)),
      () => neighbor,
    ],
    [
      'to a new webhook of another mailbox start at once, however many of one hang',
      async () => [await open('hang', numbered('/hang', 25))],
      () => test.caller,
      25,
    ],
    [
      'to a new webhook of another mailbox start at once, however many of three mailboxes hang',
      async () => [
        await open('one', numbered('/hang-one', 8)),
        await open('two', numbered('/hang-two', 8)),
        await open('three', numbered('/hang-three', 8)),
      ],
      () => test.caller,
      8,
    ],
    [
      'of another workspace start at once, if all that answered in one workspace hang',
      async () => {
        const proven = await openAll(numbered('proven', 5));
        await mail(proven);
        await called('/proven', 5);
        hangs = /^\/(proven|hang)/;
        return Array(10).fill(proven).flat() as string[];
      },
      () => neighbor,
    ],
  ] as [string, () => Promise<string[]>, () => Caller, number?][]) {
    it(what, async () => {
      await working(async () => {
        const isProven = what.startsWith('to one');
        const other = await open('good', ['/good'], good());
        if (isProven) {
          await mail(other);
          await called('/good');
        }
        const addresses = await bad();
        for (const address of addresses) await mail(address);
        await isSettled(addresses.length * webhooks);
        await mail(other);
        await called('/good', isProven ? 2 : 1);
      });
    });
  }

  it('get their turn even where there is but one place', async () => {
    await test.reopen({ WEBHOOK_CONCURRENCY: '1' });
    const [failing, other] = [await open('fail'), await open('good')];
    await working(async () => {
      await mail(failing);
      await called('/fail');
      await mail(other);
      await called('/good');
    });
  });

  it('with large bodies reach other receivers in every workspace', async () => {
    const bad = await open('bad', numbered('/hang', 6));
    const good = await open('good');
    const other = await open('new', undefined, neighbor);
    await working(async () => {
      await mail(good, LARGE);
      await called('/good');
      for (let n = 0; n < 2; n += 1) await mail(bad, LARGE);
      await isSettled(12);
      await mail(other, LARGE);
      await called('/new');
      for (let n = 2; n <= 3; n += 1) {
        await mail(good, LARGE);
        await mail(other, LARGE);
        await called('/good', n);
        await called('/new', n);
      }
      expect(hanging, 'still').to.have.length(1);
    });
  });
});
