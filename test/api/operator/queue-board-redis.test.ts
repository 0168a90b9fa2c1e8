import { expect } from 'chai';
import type { Response } from 'supertest';
import { eventually } from '../../support/mocha/eventually.ts';
import { type TestBoard, WITH_BOARD, openTestBoard } from '../../support/context/queue-board.ts';
import { service } from '../../support/service.ts';

describe('the queue board and Redis', () => {
  const test = service({ env: { ...WITH_BOARD, REDIS_TIMEOUT_MS: '1500' } });
  let board: TestBoard;

  beforeEach(async () => {
    board = openTestBoard(test);
  });

  const look = () => board.get('/api/queues');
  const seenAgain = async () => {
    await eventually('Redis to be back', () => test.context.redis.status === 'ready');
    await look().expect(200);
  };

  it('needs no additional connection', async () => {
    const connections = async () => String(await test.context.redis.client('LIST')).split('\n');
    const before = await connections();
    await look().expect(200);
    expect(await connections()).to.have.length(before.length);
  });

  it('503: Redis is a replica that has lost its master', async () => {
    const { redis } = test.context;
    await redis.config('SET', 'replica-serve-stale-data', 'no');
    await redis.call('REPLICAOF', '127.0.0.1', '1');
    isUnavailable(await look());
    await eventually('it to be the master', async () => {
      return (await redis.call('REPLICAOF', 'NO', 'ONE').catch(() => null)) === 'OK';
    });
    await seenAgain();
  });

  for (const [when, first] of [
    ['before the first look', true],
    ['between two', false],
  ] as const) {
    it(`503: Redis is down ${when}; 200 once it is available`, async () => {
      if (!first) await look().expect(200);
      await test.redis.kill();
      await eventually('it to be noticed', () => test.context.redis.status !== 'ready');
      isUnavailable(await look());
      // The page itself loads, and shows the queues once available.
      await board.get('').expect(200);
      await test.redis.start();
      await seenAgain();
    });

    it(`503: Redis hangs ${when}; 200 once it continues`, async () => {
      if (!first) await look().expect(200);
      const listeners = () => test.context.redis.listenerCount('error');
      const before = listeners();
      test.redis.pause();
      isUnavailable(await look());
      // The first failure is the answer. The other queues fail at the same time, or soon after.
      await eventually('no listeners to be left', () => listeners() === before);
      test.redis.resume();
      await seenAgain();
    });

    it(`503: Redis dies during a request, ${when}; 200 once it is available`, async () => {
      if (!first) await look().expect(200);
      test.redis.pause();
      const looking = look().then((answer) => answer);
      await eventually('the look to wait for Redis', isWaiting);
      await test.redis.kill();
      isUnavailable(await looking);
      await test.redis.start();
      await seenAgain();
    });
  }

  /** Whether Redis has not replied to some commands yet. */
  const isWaiting = () =>
    (test.context.redis as unknown as { commandQueue: { length: number } }).commandQueue.length > 0;
});

function isUnavailable({ status, body, headers }: Response): void {
  expect(status).to.equal(503);
  expect(body).to.include({ code: 'unavailable' });
  expect(body).to.have.property('requestId').that.is.a('string');
  expect(Number(headers['retry-after'])).to.be.above(0);
}
