import { expect } from 'chai';
import { createMailbox, deleteMailbox } from '../../core/mailboxes/mailboxes.ts';
import { newId } from '../../core/ids.ts';
import { deleteBlobs } from '../../jobs/removal.ts';
import { expireMessages } from '../../jobs/scheduled.ts';
import { ingestMessage } from '../../jobs/ingest-message.ts';
import { sweepRawMail } from '../../jobs/scheduled.ts';
import { acceptMail } from '../support/context/accept.ts';
import { type TestContext, openTestContext } from '../support/context/context.ts';

describe('removal', () => {
  let test: TestContext;
  const run = { jobId: '', start: 1, stalls: 0 };

  beforeEach(async () => {
    test = await openTestContext();
    await createMailbox(test.context, test.caller, 'box');
  });
  afterEach(() => test.close());

  const arriveLarge = async () => {
    const mail = await acceptMail(
      test.context,
      ['box@one.test'],
      `Subject: x\r\n\r\n${'x'.repeat(1_100_000)}`,
    );
    await ingestMessage.run(test.context, mail, run);
    return mail.raw.in === 'blob' ? mail.raw.key : '';
  };
  const rows = async () => {
    const { db } = test.context.store;
    const [mails, messages, mailboxes] = await Promise.all([
      db.select().from(db.t.mails),
      db.select().from(db.t.messages),
      db.select().from(db.t.mailboxes),
    ]);
    return { mails: mails.length, messages: messages.length, mailboxes: mailboxes.length };
  };
  const queuedBlobKeys = async () => {
    const ids = await test.context.redis.lrange(
      `${test.config.redisPrefix}:${deleteBlobs.name}:wait`,
      0,
      -1,
    );
    const jobs = await Promise.all(
      ids.map((id) =>
        test.context.redis.hget(`${test.config.redisPrefix}:${deleteBlobs.name}:${id}`, 'data'),
      ),
    );
    return jobs.flatMap((data) => (JSON.parse(data ?? '{"keys":[]}') as { keys: string[] }).keys);
  };

  it('of expired mails removes rows and queues the deletion of their blobs', async () => {
    const key = await arriveLarge();
    await expireMessages.run(test.context, {}, run);
    expect(await rows()).to.deep.equal({ mails: 1, messages: 1, mailboxes: 1 });
    test.advance(86_400_000 + 1000);
    await expireMessages.run(test.context, {}, run);
    expect(await rows()).to.deep.equal({ mails: 0, messages: 0, mailboxes: 1 });
    expect(await queuedBlobKeys()).to.deep.equal([key]);
    await deleteBlobs.run(test.context, { keys: [key] }, run);
    expect(await test.context.blobs.get(key)).to.equal(null);
  });

  it('of a deleted mailbox is completed by the expiry job if its own job was lost', async () => {
    const key = await arriveLarge();
    await deleteMailbox(test.context, test.caller, 'box');
    await test.context.redis.flushall();
    await expireMessages.run(test.context, {}, run);
    expect(await rows()).to.deep.equal({ mails: 1, messages: 0, mailboxes: 0 });
    expect(await queuedBlobKeys()).to.deep.equal([key]);
  });

  it('of raw bytes removes only old ones without a job', async () => {
    const old = Date.now() - 2 * 60 * 60_000;
    // Ids increase within a process for any given time, so these are literal.
    const { ulid } = await import('ulid');
    const [lost, queued] = [0, 1].map(() => `ing_${ulid(old).toLowerCase()}`) as [string, string];
    const fresh = newId('ingest');
    for (const id of [lost, queued, fresh])
      await test.context.mailSpool.put(id, [Buffer.from('x')], 1);
    const mail = await acceptMail(test.context, ['box@one.test'], 'x');
    await test.context.queues.enqueue(ingestMessage, { ...mail, ingestId: queued }, queued);
    await sweepRawMail.run(test.context, {}, run);
    const kept = await Promise.all(
      [lost, queued, fresh].map(
        async (id) => (await test.context.mailSpool.get(id, { in: 'redis' })) !== null,
      ),
    );
    expect(kept).to.deep.equal([false, true, true]);
  });

  it('of raw bytes corrects a count that exceeds the sum of the sizes', async () => {
    const { context, config } = test;
    await context.mailSpool.put(newId('ingest'), [Buffer.from('xyz')], 3);
    await context.redis.incrby(`${config.redisPrefix}:raw:bytes`, 10 ** 12);
    expect(await context.mailSpool.isFull()).to.equal(true);
    await sweepRawMail.run(context, {}, run);
    expect(await context.mailSpool.isFull()).to.equal(false);
    expect((await context.mailSpool.totals()).waiting).to.deep.equal({ mails: 1, bytes: 3 });
  });
});
