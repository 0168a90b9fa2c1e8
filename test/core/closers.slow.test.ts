import { expect } from 'chai';
import { closeInOrder, openInOrder } from '../../core/closers.ts';
import { openContext } from '../../core/open-context.ts';
import { openFrontContext } from '../../core/open-front-context.ts';
import { type Logger, openLog } from '../../core/log.ts';
import { openTestContext } from '../support/context/context.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { rejection } from '../support/mocha/rejection.ts';

const never = () => new Promise<void>(() => undefined);

describe('closing in order', () => {
  const log = { warn: () => undefined } as unknown as Logger;

  it('starts every step in order, after one that fails and one that hangs', async () => {
    const begun: string[] = [];
    const step = (name: string, work: () => unknown) => () => {
      begun.push(name);
      return work();
    };
    const closing = closeInOrder(
      [
        step('fails', () => Promise.reject(new Error('disk gone'))),
        step('throws', () => {
          throw new Error('second');
        }),
        step('hangs', never),
        step('hangs, too', never),
        step('works', () => undefined),
      ],
      log,
      50,
    );
    expect(await rejection(closing)).to.have.property('message', 'disk gone');
    expect(begun).to.deep.equal(['fails', 'throws', 'hangs', 'hangs, too', 'works']);
  });

  it('waits for each step before the next within the deadline', async () => {
    const ended: string[] = [];
    const slow = (name: string) => async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(name);
    };
    await closeInOrder([slow('first'), slow('second')], log, 60_000);
    expect(ended).to.deep.equal(['first', 'second']);
  });

  it('closes what was opened, newest first, if a later step of opening fails', async () => {
    const closed: string[] = [];
    const opening = openInOrder(log, async ({ add }) => {
      add('a', (name) => closed.push(name));
      add('b', (name) => closed.push(name));
      throw new Error('the third cannot be opened');
    });
    expect(await rejection(opening)).to.have.property('message', 'the third cannot be opened');
    expect(closed).to.deep.equal(['b', 'a']);
  });
});

describe('a context', () => {
  it('leaves no connection open if a later step of opening fails', async () => {
    const test = await openTestContext();
    const { context, config } = test;
    const log = openLog(config);
    const connections = async () => {
      const list = (await context.redis.client('LIST')) as string;
      return list.trim().split('\n').length;
    };
    const before = await connections();
    const fault = new Error('a later step');
    const failing = {
      get now(): never {
        throw fault;
      },
    };
    const failingLater = {
      get crypto(): never {
        throw fault;
      },
    };
    expect(await rejection(openFrontContext(config, log, failing))).to.equal(fault);
    expect(await rejection(openContext(config, log, failingLater))).to.equal(fault);
    await eventually('the connections to be closed', async () => (await connections()) === before);
    await test.close();
  });

  it('closes while Redis hangs, whatever the time limit of a command', async () => {
    const test = await openTestContext({ REDIS_TIMEOUT_MS: '60000' });
    const other = await test.another();
    test.redis.pause();
    const event = { type: 'mailbox.created', mailbox: 'x', mailboxId: 'mbx_x' } as const;
    other.events.publisher.publish(test.workspace.workspaceId, event);
    const begun = performance.now();
    await other.close();
    const tookMs = performance.now() - begun;
    test.redis.resume();
    expect(tookMs).to.be.lessThan(30_000);
    await test.close();
  });
});
