import Database from 'better-sqlite3';
import { expect } from 'chai';
import { rejection } from '../../support/mocha/rejection.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { type ParsePool, openParsePool } from '../../../core/mime/parser-pool.ts';
import { heavyJob, slowJob } from '../../../core/intake/ingest-job.ts';
import { retryQuarantined } from '../../../core/ingest/retry-quarantined.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { completeMessages, listMessages } from '../../../core/messages/messages.ts';
import { ingestHeavy, ingestSlow, ingestMessage } from '../../../jobs/ingest.ts';
import { INGEST, failedIngest, ingestNow, ingestState } from '../../support/context/ingest.ts';
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
    const mailbox = await requireMailbox(test.context, test.caller, 'box');
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
    await whileWorking(test, INGEST, async () => {
      const before = await enqueue('Subject: before\r\n\r\nx');
      const poison = await enqueue(POISON);
      await enqueue('Subject: after\r\n\r\nx');
      const job = await eventually('quarantine', async () => (await failedIngest(test.context))[0]);
      await eventually('its neighbors', async () => (await shown()).length === 2);
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
      expect(await retryQuarantined(test.context)).to.equal(1);
      await eventually('the mail', async () =>
        (await shown()).some(({ subject, parseError }) => subject === 'poison' && !parseError),
      );
      expect(await isKept(poison)).to.equal(false);
    });
  });

  it('is quarantined alone if it shares a job', async () => {
    refuse(`new.size = ${POISON.length}`);
    const { id } = await requireMailbox(test.context, test.caller, 'box');
    const others = Array.from({ length: 49 }, (_, n) => `Subject: ${n}\r\n\r\nHello\r\n`);
    const ids = await acceptTogether(openTestIntake(test.context), id, [
      ...[...others.slice(0, 24), POISON, ...others.slice(24)],
    ]);
    await whileWorking(test, INGEST, async () => {
      await eventually('49 and the one alone', async () => (await shown()).length === 50);
      await eventually(
        'quarantine',
        async () => (await ingestState(test.context, ids[24]!)) === 'failed',
      );
    });
    const { quarantined, waiting } = await test.context.mailSpool.totals();
    expect([quarantined.mails, waiting.mails]).to.deep.equal([1, 0]);
  });

  it('keeps its blob while its job exists, if it is large', async () => {
    const large = `Subject: large\r\n\r\n${'x'.repeat(1_100_000)}`;
    refuse(`new.size = ${large.length}`);
    await whileWorking(test, INGEST, async () => {
      const { ingestId } = await enqueue(large);
      await eventually(
        'quarantine',
        async () => (await ingestState(test.context, ingestId)) === 'failed',
      );
      test.advance(100 * HOUR_MS);
      const sweep = async () => {
        await test.run(sweepRawMail);
        await test.run(sweepBlobs);
        return (await storedBlobs(test.context)).length;
      };
      expect(await sweep()).to.equal(1);
      for (const job of INGEST) await test.context.queues.discard(job, ingestId);
      expect(await sweep()).to.equal(0);
    });
  });

  it('does not include mail that failed while the database was unavailable', async () => {
    const mail = await accept(POISON);
    database.exec('alter table attachments rename to elsewhere');
    database.exec('alter table mails rename to nowhere');
    for (let run = 0; run < 5; run += 1) {
      const failed = await rejection(ingestNow(test.context, mail));
      expect(failed).to.be.instanceOf(Error).and.not.instanceOf(GiveUp);
    }
    database.exec('alter table nowhere rename to mails');
    database.exec('alter table elsewhere rename to attachments');
    await ingestNow(test.context, mail);
    expect((await shown())[0]?.parseError).to.equal(null);
  });

  it('that fails for an unknown reason is quarantined after ten failures, if other mail is stored', async () => {
    const { parsePool } = test.context.ingest;
    const fails: ParsePool['parseQuickly'] = async () => {
      throw new Error('no such column');
    };
    const context = withIngest(test.context, { parsePool: { ...parsePool, parseQuickly: fails } });
    let payload: object = await accept(POISON);
    const update = async (changed: object) => void (payload = changed);
    const fail = async () => {
      test.advance(1);
      return rejection(
        ingestHeavy.run(context, heavyJob.payload.parse(payload), { ...RUN, update }),
      );
    };
    for (let run = 0; run < 15; run += 1) {
      expect(await fail())
        .to.be.instanceOf(Error)
        .and.not.instanceOf(GiveUp);
    }
    test.advance(1);
    await test.receive('box', 'Subject: other\r\n\r\nx');
    expect(await fail())
      .to.be.instanceOf(GiveUp)
      .with.property('message', 'quarantined: no such column');
    expect((await test.context.mailSpool.totals()).quarantined.mails).to.equal(1);
    for (let run = 0; run < 9; run += 1) {
      await test.receive('box', 'Subject: other\r\n\r\nx');
      expect(await fail(), 'after a retry by the operator').to.not.be.instanceOf(GiveUp);
    }
  });

  it('that crashed several workers has only its headers parsed, and then is quarantined', async () => {
    const runSlow = async (stalls: number) =>
      ingestSlow.run(test.context, await accept(POISON), { ...RUN, stalls });
    await runSlow(2);
    await runSlow(3);
    expect((await shown()).map(({ text, parseError }) => [text, parseError])).to.deep.equal([
      [null, 'parsing the mail crashed the worker'],
      ['poisonous', null],
    ]);
    expect(await rejection(runSlow(6))).to.be.instanceOf(GiveUp);
    expect((await test.context.mailSpool.totals()).quarantined.mails).to.equal(1);
  });

  it('that crashed a worker twice is handled alone', async () => {
    const mail = await accept(POISON);
    await ingestMessage.run(test.context, mail, { ...RUN, stalls: 1 });
    expect(await ingestState(test.context, mail.ingestId)).to.equal('prioritized');
    const queue = await test.context.queues.open(heavyJob);
    const payload = heavyJob.payload.parse((await queue.getJob(mail.ingestId))?.data);
    await ingestHeavy.run(test.context, payload, { ...RUN, stalls: 1 });
    expect(await test.context.queues.stateOf(slowJob, mail.ingestId)).to.equal('prioritized');
  });

  it('that exceeded the time limit has only its headers parsed in later runs', async () => {
    const impatient = openParsePool(1);
    const failing = withIngest(test.context, { parsePool: impatient });
    // Heavy because of its header, and in Redis: reading a file also takes time.
    const header = `Subject: slow\r\nX-Long: ${'x'.repeat(17_000)}`;
    const mail = await accept(`${header}\r\n\r\n${'x'.repeat(900_000)}`);
    database.exec('alter table mails rename to nowhere');
    let kept: object = mail;
    const update = async (payload: object) => void (kept = payload);
    const failed = await rejection(ingestSlow.run(failing, mail, { ...RUN, update }));
    impatient.close();
    expect(String(failed)).to.contain('no such table');
    database.exec('alter table nowhere rename to mails');
    await ingestSlow.run(await test.another(), slowJob.payload.parse(kept), RUN);
    expect((await shown())[0]).to.include({
      subject: 'slow',
      text: null,
      parseError: 'parsing took too long',
    });
  });
});
