import { mock } from 'node:test';
import { expect } from 'chai';
import { expireMessages } from '../../jobs/scheduled.ts';
import { type Reconciliation, startReconciliation } from '../../jobs/reconcile-redis.ts';
import { service } from '../support/service.ts';
import { eventually } from '../support/mocha/eventually.ts';

const SECOND_MS = 1000;

describe('reconciliation of Redis', () => {
  let reconciliation: Reconciliation;
  afterEach(() => reconciliation.stop());
  const test = service({ mailboxes: ['box'] });

  const lookup = async () =>
    (await test.context.directory.lookup({ name: 'box', domain: 'one.test', tag: null })).outcome;
  const schedules = () =>
    test.context.redis.exists(`${test.config.redisPrefix}:${expireMessages.name}:repeat`);

  it('corrects the directory and starts the schedules before it resolves', async () => {
    await test.context.redis.flushall();
    reconciliation = await startReconciliation(test.context);
    expect(await lookup()).to.equal('mailbox');
    expect(await schedules()).to.equal(1);
  });

  it('repairs the data lost in a FLUSHALL', async () => {
    reconciliation = await startReconciliation(test.context);
    await test.context.redis.flushall();
    await eventually('the directory', async () => (await lookup()) === 'mailbox');
    await eventually('the schedules', async () => (await schedules()) === 1);
  });

  it('takes one look at a time, and none is left for its end', async () => {
    let looks = 0;
    let answer = (_isComplete: boolean): void => undefined;
    const directory = Object.create(test.context.directory, {
      isComplete: {
        value: () => {
          looks += 1;
          if (looks === 1) return test.context.directory.isComplete();
          return new Promise<boolean>((resolve) => {
            answer = resolve;
          });
        },
      },
    }) as typeof test.context.directory;
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      reconciliation = await startReconciliation({ ...test.context, directory });
      mock.timers.tick(SECOND_MS);
      expect(looks).to.equal(2);
      mock.timers.tick(5 * SECOND_MS);
    } finally {
      mock.timers.reset();
    }
    const stopped = reconciliation.stop();
    answer(true);
    await stopped;
    expect(looks).to.equal(2);
  });

  it('continues after Redis was unavailable', async () => {
    reconciliation = await startReconciliation(test.context);
    await test.redis.kill();
    await test.redis.start();
    await eventually('the connection', () => test.context.redis.status === 'ready');
    await test.context.redis.flushall();
    await eventually('the directory', async () => (await lookup()) === 'mailbox');
  });
});
