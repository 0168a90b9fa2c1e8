import Database from 'better-sqlite3';
import { expect } from 'chai';
import { rejection } from '../../support/mocha/rejection.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { openParsePool } from '../../../core/mime/parser-pool.ts';
import { openPoisonRecord } from '../../../core/ingest/poison-record.ts';
import { findMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { completeMessages, listMessages } from '../../../core/messages/messages.ts';
import { ingestMessage } from '../../../jobs/ingest-message.ts';
import { GiveUp } from '../../../core/queue/job.ts';
import { sweepBlobs, sweepRawMail } from '../../../jobs/scheduled.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { acceptTogether, openTestIntake } from '../../support/context/accept-together.ts';
import { describeOnSqlite, sqliteFile } from '../../support/context/sqlite-file.ts';
import { service } from '../../support/service.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { storedBlobs } from '../../support/context/stored-blobs.ts';
import { withIngest } from '../../support/context/with-parts.ts';
import { whileWorking } from '../../support/context/workers.ts';

const RUN = { jobId: '', start: 1, stalls: 0 };
const HOUR_MS = 3_600_000;
const POISON = 'From: p@x.test\r\nSubject: poison\r\n\r\npoisonous';

describeOnSqlite('poison mail', () => {
  const test = service({ mailboxes: ['box'] });
  let database: Database.Database;
  beforeEach(() => {
    database = new Database(sqliteFile(test.config));
  });
  afterEach(() => database.close());

  /** Makes the database reject mails that satisfy the condition. */
  const refuse = (condition: string) =>
    database.exec(
      `create trigger refusal before insert on mails when ${condition} begin select raise(abort, 'no'); end`,
    );
  const accept = (raw: string) => acceptMail(test.context, ['box@one.test'], raw);
  const enqueue = async (raw: string) => {
    const mail = await accept(raw);
    await test.context.queues.enqueue(ingestMessage, mail, mail.ingestId);
    return mail;
  };
  const shown = async () => {
    const mailbox = await findMailbox(test.context, test.caller, 'box');
    const { rows } = await listMessages(test.context, mailbox, { limit: 100 });
    return (await completeMessages(test.context, rows)).map(({ mail }) => mail);
  };
  const rawSources = async () =>
    (await test.context.store.db.select().from(test.context.store.db.t.mails)).map(({ raw }) =>
      String(raw),
    );
  const isKept = async ({ ingestId, raw }: AcceptedMail) =>
    (await test.context.mailSpool.get(ingestId, raw)) !== null;

  it('is stored without its content if the database rejects it', async () => {
    refuse(`new.text_body like '%poison%'`);
    await test.receive('box', POISON);
    const [mail] = await shown();
    expect(mail).to.include({ subject: 'poison', fromAddress: 'p@x.test', text: null });
    expect(mail?.parseError).to.contain('could not be stored');
    expect(await rawSources()).to.deep.equal([POISON]);
  });

  it('is stored with its envelope only if its header is rejected, too', async () => {
    refuse(`new.subject = 'poison'`);
    await test.receive('box', POISON);
    const [mail] = await shown();
    expect(mail).to.include({ subject: '', fromAddress: 'sender@elsewhere.test', text: null });
    expect(await rawSources()).to.deep.equal([POISON]);
  });

  it('that the database rejects in every form is quarantined, without blocking other mail', async () => {
    refuse(`new.size = ${POISON.length}`);
    const queue = await test.context.queues.open(ingestMessage);
    await whileWorking(test, [ingestMessage], async () => {
      const before = await enqueue('Subject: before\r\n\r\nx');
      const poison = await enqueue(POISON);
      await enqueue('Subject: after\r\n\r\nx');
      const job = await eventually('quarantine', async () => (await queue.getFailed())[0]);
      await eventually('its neighbours', async () => (await shown()).length === 2);
      const counter = `${test.config.redisPrefix}:raw:bytes`;
      await eventually(
        'the bytes to count no more',
        async () => (await test.context.redis.get(counter)) === '0',
      );
      expect(job.id).to.equal(poison.ingestId);
      expect(job.failedReason).to.contain('quarantined');

      test.advance(100 * HOUR_MS);
      await test.run(sweepRawMail);
      expect([await isKept(before), await isKept(poison)]).to.deep.equal([false, true]);

      test.advance(-100 * HOUR_MS);
      database.exec('drop trigger refusal');
      await job.retry();
      await eventually('the mail', async () =>
        (await shown()).some(({ subject, parseError }) => subject === 'poison' && !parseError),
      );
      expect(await isKept(poison)).to.equal(false);
    });
  });

  it('is quarantined alone if it shares a job', async () => {
    refuse(`new.size = ${POISON.length}`);
    const { id } = await findMailbox(test.context, test.caller, 'box');
    const others = Array.from({ length: 49 }, (_, n) => `Subject: ${n}\r\n\r\nHello\r\n`);
    const ids = await acceptTogether(openTestIntake(test.context), id, [
      ...[...others.slice(0, 24), POISON, ...others.slice(24)],
    ]);
    await whileWorking(test, [ingestMessage], async () => {
      await eventually('49 and the one alone', async () => (await shown()).length === 50);
      await eventually(
        'quarantine',
        async () => (await test.context.queues.stateOf(ingestMessage, ids[24]!)) === 'failed',
      );
    });
    const { quarantined, waiting } = await test.context.mailSpool.totals();
    expect([quarantined.mails, waiting.mails]).to.deep.equal([1, 0]);
  });

  it('keeps its blob while its job exists, if it is large', async () => {
    const large = `Subject: large\r\n\r\n${'x'.repeat(1_100_000)}`;
    refuse(`new.size = ${large.length}`);
    await whileWorking(test, [ingestMessage], async () => {
      const { ingestId } = await enqueue(large);
      await eventually(
        'quarantine',
        async () => (await test.context.queues.stateOf(ingestMessage, ingestId)) === 'failed',
      );
      test.advance(100 * HOUR_MS);
      const sweep = async () => {
        await test.run(sweepRawMail);
        await test.run(sweepBlobs);
        return (await storedBlobs(test.context)).length;
      };
      expect(await sweep()).to.equal(1);
      await test.context.queues.discard(ingestMessage, ingestId);
      expect(await sweep()).to.equal(0);
    });
  });

  it('does not include mail that failed while the database was unavailable', async () => {
    const mail = await accept(POISON);
    database.exec('alter table attachments rename to elsewhere');
    database.exec('alter table mails rename to nowhere');
    for (let run = 0; run < 5; run += 1) {
      const failed = await rejection(ingestMessage.run(test.context, mail, RUN));
      expect(failed).to.be.instanceOf(Error).and.not.instanceOf(GiveUp);
    }
    database.exec('alter table nowhere rename to mails');
    database.exec('alter table elsewhere rename to attachments');
    await ingestMessage.run(test.context, mail, RUN);
    expect((await shown())[0]?.parseError).to.equal(null);
  });

  /** The record of a process that dies with the mail. */
  const another = () => openPoisonRecord(test.context.redis, test.config.redisPrefix);

  it('that crashed several workers has only its headers parsed, and then is quarantined', async () => {
    const suspect = { ...RUN, stalls: 2 };
    const after = async (deaths: number) => {
      const mail = await accept(POISON);
      for (let death = 0; death < deaths; death += 1) {
        await another().recordStart(mail.ingestId);
      }
      return mail;
    };
    await ingestMessage.run(test.context, await after(2), suspect);
    await ingestMessage.run(test.context, await after(3), suspect);
    expect((await shown()).map(({ text, parseError }) => [text, parseError])).to.deep.equal([
      [null, 'parsing the mail crashed the worker'],
      ['poisonous', null],
    ]);
    const worst = await after(6);
    const given = await rejection(ingestMessage.run(test.context, worst, suspect));
    expect(given).to.be.instanceOf(GiveUp);
    expect(await isKept(worst)).to.equal(true);
    await ingestMessage.run(test.context, worst, suspect);
    expect(await shown()).to.have.length(3);
  });

  it('is not counted for crashes while it waits for its turn', async () => {
    const mail = await accept(POISON);
    const other = { ingestId: '', workspaceIds: [''], size: 50_000_000, isSuspect: false };
    const busy = await test.context.ingest.heavyMailQueue.acquire(other, 'quick');
    const run = ingestMessage.run(test.context, mail, { ...RUN, stalls: 2 });
    await test.context.redis.ping(); // all Redis commands of the run are sent by now
    expect(await another().recordStart(mail.ingestId), 'others that began').to.equal(0);
    await test.context.ingest.poison.clear(mail.ingestId);
    if (busy.kind === 'turn') busy.release();
    await run;
    expect(await shown()).to.have.length(1);
  });

  it('is not counted twice for one process, nor for a live one', async () => {
    const mail = await accept(POISON);
    const { poison } = test.context.ingest;
    await poison.recordStart(mail.ingestId);
    expect(await poison.recordStart(mail.ingestId)).to.equal(0);
    const other = another();
    expect(await other.recordStart(mail.ingestId)).to.equal(1);
    await poison.recordEnd(mail.ingestId);
    expect(await other.recordStart(mail.ingestId)).to.equal(0);
  });

  it('is stored even if its record cannot be removed', async () => {
    const fails = () => Promise.reject(new Error('Redis is away'));
    const poison = { ...test.context.ingest.poison, recordEnd: fails, clear: fails };
    const context = withIngest(test.context, { poison });
    const suspect = { ...RUN, stalls: 2 };
    database.exec('alter table mails rename to nowhere');
    const mail = await accept(POISON);
    const failed = await rejection(ingestMessage.run(context, mail, suspect));
    expect(String(failed)).to.contain('no such table');
    database.exec('alter table nowhere rename to mails');
    await ingestMessage.run(context, mail, suspect);
    expect(await shown()).to.have.length(1);
  });

  it('that exceeded the time limit has only its headers parsed in later runs', async () => {
    const impatient = openParsePool(1);
    const failing = withIngest(test.context, { parsePool: impatient });
    // Heavy because of its header, and in Redis: reading a file also takes time.
    const header = `Subject: slow\r\nX-Long: ${'x'.repeat(17_000)}`;
    const mail = await accept(`${header}\r\n\r\n${'x'.repeat(900_000)}`);
    database.exec('alter table mails rename to nowhere');
    const failed = await rejection(ingestMessage.run(failing, mail, RUN));
    impatient.close();
    expect(String(failed)).to.contain('no such table');
    database.exec('alter table nowhere rename to mails');
    await ingestMessage.run(await test.another(), mail, RUN);
    expect((await shown())[0]).to.include({
      subject: 'slow',
      text: null,
      parseError: 'parsing took too long',
    });
    expect(await test.context.redis.keys('*poison*')).to.deep.equal([]);
  });

  it('leaves no record of a completed mail', async () => {
    const mail = await accept(POISON);
    await ingestMessage.run(test.context, mail, { ...RUN, stalls: 9 });
    expect(await test.context.redis.keys('*poison*')).to.deep.equal([]);
  });
});
