import { expect } from 'chai';
import { createMailbox } from '../../core/mailboxes.js';
import { expireMessages } from '../../jobs/expire-messages.js';
import { type Keeper, startKeeper } from '../../jobs/keeper.js';
import { type TestContext, openTestContext } from '../support/context.js';
import { eventually } from '../support/eventually.js';

describe('keeper', () => {
  let test: TestContext;
  let keeper: Keeper;

  beforeEach(async () => {
    test = await openTestContext();
    await createMailbox(test.context, test.caller, 'box');
  });
  afterEach(async () => {
    await keeper.stop();
    await test.close();
  });

  const lookup = async () =>
    (await test.context.directory.lookup({ name: 'box', domain: 'one.test', tag: null })).outcome;
  const schedules = () =>
    test.context.redis.exists(`${test.config.redisPrefix}:${expireMessages.name}:repeat`);

  it('has the directory right and the schedules going once it has started', async () => {
    await test.context.redis.flushall();
    keeper = await startKeeper(test.context);
    expect(await lookup()).to.equal('mailbox');
    expect(await schedules()).to.equal(1);
  });

  it('repairs what a FLUSHALL took', async () => {
    keeper = await startKeeper(test.context);
    await test.context.redis.flushall();
    await eventually('the directory', async () => (await lookup()) === 'mailbox');
    await eventually('the schedules', async () => (await schedules()) === 1);
  });

  it('goes on after Redis was away', async () => {
    keeper = await startKeeper(test.context);
    await test.redis.kill();
    await test.redis.start();
    await eventually('the connection', () => test.context.redis.status === 'ready');
    await test.context.redis.flushall();
    await eventually('the directory', async () => (await lookup()) === 'mailbox');
  });
});
