import { expect } from 'chai';
import { expireMessages } from '../../jobs/scheduled.ts';
import { type Reconciliation, startReconciliation } from '../../jobs/reconcile-redis.ts';
import { service } from '../support/service.ts';
import { eventually } from '../support/mocha/eventually.ts';

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

  it('continues after Redis was unavailable', async () => {
    reconciliation = await startReconciliation(test.context);
    await test.redis.kill();
    await test.redis.start();
    await eventually('the connection', () => test.context.redis.status === 'ready');
    await test.context.redis.flushall();
    await eventually('the directory', async () => (await lookup()) === 'mailbox');
  });
});
