import { expect } from 'chai';
import { ne } from 'drizzle-orm';
import { newDelivery } from '../../core/delivery/fan-out.ts';
import { deleteMailbox } from '../../core/mailboxes/mailboxes.ts';
import { newId } from '../../core/ids.ts';
import { deleteBlobs } from '../../jobs/removal.ts';
import { type Store, insertIgnoring } from '../../db/store.ts';
import { ingestMessage } from '../../jobs/ingest.ts';
import { expireMessages, sweepRawMail } from '../../jobs/scheduled.ts';
import { acceptMail } from '../support/context/accept.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { itOnSqlite } from '../support/context/sqlite-file.ts';
import { service } from '../support/service.ts';

const run = { jobId: '', start: 1, stalls: 0 };

describe('removal', () => {
  const test = service({ mailboxes: ['box'] });

  const arriveLarge = async () => {
    const mail = await test.deliver('box', `Subject: x\r\n\r\n${'x'.repeat(1_100_000)}`);
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
    const jobs = await (await test.context.queues.open(deleteBlobs)).getWaiting();
    return jobs.flatMap(({ data }) => deleteBlobs.payload.parse(data).keys);
  };

  it('of expired mails removes rows and queues the deletion of their blobs', async () => {
    const key = await arriveLarge();
    await test.run(expireMessages);
    expect(await rows()).to.deep.equal({ mails: 1, messages: 1, mailboxes: 1 });
    test.advance(86_400_000 + 1000);
    await test.run(expireMessages);
    expect(await rows()).to.deep.equal({ mails: 0, messages: 0, mailboxes: 1 });
    expect(await queuedBlobKeys()).to.deep.equal([key]);
    await test.work(deleteBlobs);
    expect(await test.context.blobs.get(key)).to.equal(null);
  });

  // More than the 32,766 of SQLite. PostgreSQL takes 65,535.
  itOnSqlite('of expired mails with more messages than a statement has parameters', async () => {
    const { store } = test.context;
    const messageId = await test.receive('box');
    const [message] = await store.db.select().from(store.db.t.messages);
    const now = new Date(test.context.now());
    for (let from = 0; from < 33_000; from += 3000) {
      const ids = Array.from({ length: 3000 }, (_, n) => `${messageId}-${from + n}`);
      await store.transaction(function* (tx) {
        yield* insertIgnoring(
          tx.t.messages,
          ids.map((id) => ({ ...message!, id })),
        );
        yield* insertIgnoring(
          tx.t.deliveries,
          ids.map((id) =>
            newDelivery({ webhookId: 'whk_x', messageId: id, trigger: 'event', now }),
          ),
        );
      });
    }
    test.advance(86_400_000 + 1000);
    await test.run(expireMessages);
    expect(await rows()).to.deep.equal({ mails: 0, messages: 0, mailboxes: 1 });
    const open = await store.db
      .select({ id: store.db.t.deliveries.id })
      .from(store.db.t.deliveries)
      .where(ne(store.db.t.deliveries.state, 'expired'));
    expect(open).to.deep.equal([]);
  });

  it('of a deleted mailbox is completed by the expiry job if its own job was lost', async () => {
    const key = await arriveLarge();
    await deleteMailbox(test.context, test.caller, 'box');
    await test.context.redis.flushall();
    await test.run(expireMessages);
    expect(await rows()).to.deep.equal({ mails: 1, messages: 0, mailboxes: 0 });
    expect(await queuedBlobKeys()).to.deep.equal([key]);
  });

  it('of raw bytes removes only old ones without a job', async () => {
    const old = Date.now() - 2 * 60 * 60_000;
    // Ids increase within a process for any given time, so these are literal.
    const { ulid } = await import('ulid');
    const [lost, queued] = [0, 1].map(() => `ing_${ulid(old).toLowerCase()}`) as [string, string];
    const fresh = newId('ingest');
    const bytes = { chunks: [Buffer.from('x')], size: 1 };
    for (const [n, ingestId] of [lost, queued, fresh].entries()) {
      await test.context.mailSpool.put([{ ingestId, ...bytes, loads: { [`wsp_${n}`]: 1025 } }]);
    }
    const mail = await acceptMail(test.context, ['box@one.test'], 'x');
    await test.context.queues.enqueue(ingestMessage, { ...mail, ingestId: queued }, queued);
    await test.run(sweepRawMail);
    const kept = await Promise.all(
      [lost, queued, fresh].map(
        async (id) => (await test.context.mailSpool.get(id, { in: 'redis' })) !== null,
      ),
    );
    expect(kept).to.deep.equal([false, true, true]);
    const loads = [0, 1, 2].map((n) => test.context.mailSpool.largestLoad({ [`wsp_${n}`]: 0 }));
    expect(await Promise.all(loads)).to.deep.equal([0, 1025, 1025]);
  });

  it('of raw bytes corrects a count that exceeds the sum of the sizes', async () => {
    const { context, config } = test;
    await context.mailSpool.put([
      { ingestId: newId('ingest'), chunks: [Buffer.from('xyz')], size: 3 },
    ]);
    await context.redis.incrby(`${config.redisPrefix}:raw:bytes`, 10 ** 12);
    expect(await context.mailSpool.room.isFull()).to.equal(true);
    await test.run(sweepRawMail);
    expect(await context.mailSpool.room.isFull()).to.equal(false);
    expect((await context.mailSpool.totals()).waiting).to.deep.equal({ mails: 1, bytes: 3 });
  });

  it('of one kind runs while that of another, or of another mailbox, fails', async () => {
    const { context } = test;
    const names = ['box', 'first', 'second'];
    for (const name of names) {
      if (name !== 'box') await test.mailbox(name);
      await deleteMailbox(context, test.caller, name);
    }
    const fails = [true, true]; // expired mail, the messages of a mailbox
    let [transactions, released] = [0, 0];
    const store: Store = {
      ...context.store,
      transaction: (body, options) =>
        fails[transactions++]
          ? Promise.reject(new Error('row is damaged'))
          : context.store.transaction(body, options),
      releaseSpace: async () => ({ count: 0, heldMs: released++ }),
    };
    const failure = await rejection(expireMessages.run({ ...context, store }, {}, run));
    expect(String(failure)).to.include('row is damaged; row is damaged');
    expect((await rows()).mailboxes).to.equal(1);
    expect(released).to.equal(1);
  });
});
