import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { retryQuarantined } from '../../core/ingest/retry-quarantined.ts';
import { openReadGuard } from '../../core/queue/read-guard.ts';
import { indexMails } from '../../core/search/index-mails.ts';
import { countUnindexed } from '../../db/statements/search.ts';
import { ingestSlow } from '../../jobs/ingest.ts';
import { acceptMail } from '../support/context/accept.ts';
import { QUICK_WEBHOOKS, webhookTest } from '../support/context/webhooks.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { service } from '../support/service.ts';

const PROGRAM = new URL('reading-process.ts', import.meta.url);
const HOUR_MS = 3_600_000;

describe('a mail that ends the process that reads it', () => {
  const test = service({ env: { ...QUICK_WEBHOOKS, LOG_LEVEL: 'error' } });
  const bench = webhookTest(test);
  let laterMs: number;
  beforeEach(() => {
    laterMs = 0;
  });

  /** Runs a process; resolves to whether it died with a mail. */
  const run = async (...args: string[]) => {
    laterMs += 60_000; // longer than a lease
    const env = { ...process.env, ...test.env, LATER_MS: `${laterMs}` };
    const child = fork(PROGRAM, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    await delay(200); // the notes of the dead are old enough
    expect(code ?? signal).to.be.oneOf([0, 'SIGKILL']);
    return signal !== null;
  };
  /** Runs processes until one ends by itself; resolves to the number of those that died. */
  const deaths = async (...args: string[]) => {
    for (let count = 0; count < 6; count += 1) if (!(await run(...args))) return count;
    return Infinity;
  };
  const unindexed = async () =>
    (await test.context.store.query(countUnindexed, 100))[0]?.count ?? 0;
  const mails = async () => {
    for (const subject of ['one', 'two', 'deadly', 'three', 'four']) {
      await bench.mail(`Subject: ${subject}\r\n\r\n${subject}\r\n`);
    }
  };
  const notes = () => test.context.redis.hlen(`${test.config.redisPrefix}:reading`);
  const found = async (q: string) => {
    const { body } = await test.api.get(`/api/messages?q=${q}`).expect(200);
    return (body as { messages: { subject: string }[] }).messages.map(({ subject }) => subject);
  };

  it('is left out of the index alone, and is found all the same', async () => {
    await mails();
    expect(await deaths('index')).to.equal(2);
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
    expect(await deaths('deliver', ...ids)).to.be.within(2, 3);
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

  it('that crashed workers in the slow queue is parsed again after a retry', async () => {
    const { context, config } = test;
    const mail = await acceptMail(context, ['box@one.test'], 'Subject: deadly\r\n\r\nx\r\n');
    for (let death = 1; death <= 6; death += 1) {
      const dying = openReadGuard(context.redis, config, context.log, context.metrics.jobs);
      void dying.count(ingestSlow.name, mail.mailId, () => new Promise(() => undefined));
    }
    while (!(await notes())) await delay(5);
    const RUN = { jobId: mail.ingestId, start: 1, stalls: 0 };
    const quarantined = await rejection(ingestSlow.runUnknown(context, mail, RUN));
    expect(String(quarantined)).to.contain('crashes the worker');
    await retryQuarantined(context);
    await ingestSlow.runUnknown(context, mail, { ...RUN, stalls: 6 });
    expect(await found('deadly')).to.deep.equal(['deadly']);
  });
});
