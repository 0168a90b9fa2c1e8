import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Context } from '../../core/context.ts';
import { runDelivery } from '../../core/delivery/run-delivery.ts';
import { retryQuarantined } from '../../core/ingest/retry-quarantined.ts';
import { openReadGuard } from '../../core/queue/read-guard.ts';
import { indexMails } from '../../core/search/index-mails.ts';
import { countUnindexed } from '../../db/statements/search.ts';
import type { Store } from '../../db/store.ts';
import { ingestSlow } from '../../jobs/ingest.ts';
import { acceptMail } from '../support/context/accept.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../support/context/webhooks.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { service } from '../support/service.ts';

const HOUR_MS = 3_600_000;
const TIMES = { renewEveryMs: HOUR_MS, deadAfterMs: 150, certainAfterMs: 150 };

describe('a mail that ends the process that reads it', () => {
  const test = service({ env: { ...QUICK_WEBHOOKS, LOG_LEVEL: 'error' } });
  const bench = webhookTest(test);

  /**
   * Works as processes do, one after the other, that die when they have read a mail with the word
   * "deadly": such a process gets no further result of its database and renews no note. Resolves to
   * the number of those that died before one ended.
   */
  const deaths = async (work: (dying: Context) => Promise<unknown>) => {
    for (let count = 0; count < 6; count += 1) {
      test.advance(60_000); // longer than a lease
      const context = await test.another();
      const { redis, log, metrics, store } = context;
      const readGuard = openReadGuard(redis, test.config, log, metrics.jobs, TIMES);
      let die: (isDeath: true) => void = () => undefined;
      const death = new Promise<boolean>((resolve) => (die = resolve));
      let isDead = false;
      const living = async <Result>(result: Promise<Result>): Promise<Result> => {
        isDead ||= JSON.stringify(await result).includes('deadly');
        if (!isDead) return result;
        die(true);
        return new Promise(() => undefined);
      };
      const reading: Store = {
        ...store,
        query: (...args) => living(store.query(...args)),
        execute: (...args) => living(store.execute(...args)),
      };
      const ended = work({ ...context, store: reading, readGuard }).then(() => readGuard.close());
      const isDeath = await Promise.race([death, ended.then(() => false)]);
      await delay(200); // the notes of the dead are old enough
      if (!isDeath) return count;
    }
    return Infinity;
  };
  const deliver = async (context: Context, deliveryId: string): Promise<void> => {
    const { kind } = await runDelivery(context, { deliveryId, webhookId: 'unknown' });
    if (kind === 'refused') await delay(10).then(() => deliver(context, deliveryId));
  };
  const unindexed = async () =>
    (await test.context.store.query(countUnindexed, 100))[0]?.count ?? 0;
  const mails = async () => {
    for (const subject of ['one', 'two', 'deadly', 'three', 'four']) {
      await bench.mail(`Subject: ${subject}\r\n\r\n${subject}\r\n`);
    }
  };
  const notes = () => test.context.redis.hlen(`${test.config.redisPrefix}:reading`);
  /** Notes of processes that died an hour ago. */
  const died = (field: string, deaths: number) => {
    const at = Date.now() - HOUR_MS;
    const old = Array.from({ length: deaths }, (_, n) => `process${n}@${at} `).join('');
    return test.context.redis.hset(`${test.config.redisPrefix}:reading`, field, old);
  };
  const found = async (q: string) => {
    const { body } = await test.api.get(`/api/messages?q=${q}`).expect(200);
    return (body as { messages: { subject: string }[] }).messages.map(({ subject }) => subject);
  };

  it('is left out of the index alone, and is found all the same', async () => {
    await mails();
    expect(await deaths(indexMails)).to.equal(2);
    expect(await unindexed()).to.equal(1);
    expect(await found('deadly')).to.deep.equal(['deadly']);
    expect(await found('three')).to.deep.equal(['three']);
    await retryQuarantined(test.context);
    await indexMails(test.context);
    expect(await unindexed()).to.equal(0);
  });

  it('is left out of deliveries alone', async () => {
    await mails();
    const ids = (await bench.deliveries()).map(({ id }) => id);
    expect(await deaths((dying) => Promise.all(ids.map((id) => deliver(dying, id))))).to.be.within(
      2,
      3,
    );
    const rows = await bench.deliveries();
    expect(rows.map(({ state }) => state)).to.deep.equal([
      ...['delivered', 'delivered', 'abandoned', 'delivered', 'delivered'],
    ]);
    expect(rows[2]).to.include({ reason: 'mail_ends_process', failures: 0 });
    expect(await found('')).to.have.length(5);

    await retryQuarantined(test.context);
    test.advance(HOUR_MS);
    await bench.attempt(rows[2]!);
    expect(await bench.row(rows[2]!.id)).to.include({ state: 'delivered', reason: null });
  });

  it('is no mail whose process stops, fails or has lost its lock', async () => {
    const { readGuard } = test.context;
    const other = (await test.another()).readGuard;
    const nothing = async () => expect.fail('left out');
    const failed = readGuard.readAll('job', ['a'], () => Promise.reject(new Error('no')), nothing);
    expect(await rejection(failed)).to.have.property('message', 'no');
    expect(await notes()).to.equal(0);

    let finish: () => void = () => undefined;
    const slow = readGuard.readAll(
      'job',
      ['a', 'b'],
      () => new Promise((resolve) => (finish = resolve)),
      nothing,
    );
    while ((await notes()) < 2) await delay(5);
    const read: string[][] = [];
    await other.readAll('job', ['a', 'b'], async (ids) => void read.push(ids), nothing);
    expect(read).to.deep.equal([['a'], ['b']]);
    finish();
    await slow;
    void readGuard.readAll('job', ['c'], () => new Promise(() => undefined), nothing);
    while ((await notes()) < 1) await delay(5);
    await readGuard.close();
    await other.close();
    expect(await notes()).to.equal(0);
  });

  it('is left out after two deaths, and not after one death and a lost lock', async () => {
    const { readGuard } = test.context;
    const other = (await test.another()).readGuard;
    const seen: string[] = [];
    const readAll = () =>
      other.readAll(
        'job',
        ['a', 'b'],
        async (ids) => void seen.push(`read ${ids.join(' ')}`),
        async (id) => void seen.push(`left out ${id}`),
      );
    await died('job:a', 1);
    let finish: () => void = () => undefined;
    let slow: Promise<void> = Promise.resolve();
    await new Promise<void>((begun) => {
      slow = readGuard.count('job', 'a', () => {
        begun();
        return new Promise<void>((resolve) => (finish = resolve));
      });
    });
    await readAll();
    expect(seen.splice(0)).to.deep.equal(['read b']);
    expect(await other.count('job', 'a', async (deaths) => deaths)).to.equal(1);
    finish();
    await slow;
    await readGuard.close();
    await readAll();
    expect(seen.splice(0)).to.deep.equal(['read a', 'read b']);
    await died('job:a', 2);
    await readAll();
    expect(seen).to.deep.equal(['left out a', 'read b']);
  });

  it('that crashed workers in the slow queue is parsed again after a retry', async () => {
    const { context } = test;
    const mail = await acceptMail(context, ['box@one.test'], 'Subject: deadly\r\n\r\nx\r\n');
    await died(`${ingestSlow.name}:${mail.mailId}`, 6);
    const RUN = { jobId: mail.ingestId, start: 1, stalls: 0 };
    const quarantined = await rejection(ingestSlow.runUnknown(context, mail, RUN));
    expect(String(quarantined)).to.contain('crashes the worker');
    await retryQuarantined(context);
    await ingestSlow.runUnknown(context, mail, { ...RUN, stalls: 6 });
    expect(await found('deadly')).to.deep.equal(['deadly']);
  });
});
