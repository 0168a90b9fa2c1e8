import { expect } from 'chai';
import { heavyJob, ingestJob } from '../../../core/intake/ingest-job.ts';
import { firstJobId } from '../../../core/intake/accepted-mail.ts';
import type { ParsePool } from '../../../core/mime/parser-pool.ts';
import { deleteMailbox, requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { completeMessages, listMessages } from '../../../core/messages/messages.ts';
import { ingestHeavy, ingestSlow, ingestMessage } from '../../../jobs/ingest.ts';
import { INGEST, ingestState } from '../../support/context/ingest.ts';
import { sweepRawMail } from '../../../jobs/scheduled.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { acceptTogether, openTestIntake } from '../../support/context/accept-together.ts';
import { service } from '../../support/service.ts';
import { withIngest } from '../../support/context/with-parts.ts';
import { whileDying, whileWorking, withQuickTakeover } from '../../support/context/workers.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejection } from '../../support/mocha/rejection.ts';

const RUN = { jobId: '', start: 1, stalls: 0 };
const HOUR_MS = 3_600_000;
const mail = (subject: string) => `From: a@x.test\r\nSubject: ${subject}\r\n\r\nHello\r\n`;
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `mail ${n}`);
/** Too many parts to be parsed in the worker. */
const COMPLEX = `Subject: complex\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(150)}--b--\r\n`;

describe('mails that share a job', () => {
  const test = service();
  let mailboxId: string;
  beforeEach(async () => {
    ({ id: mailboxId } = await test.mailbox());
  });

  const accept = (raws: string[]) => acceptTogether(openTestIntake(test.context), mailboxId, raws);
  const subjects = async () => {
    const mailbox = await requireMailbox(test.context, test.caller, 'box');
    const { rows } = await listMessages(test.context, mailbox, { limit: 100 });
    const shown = await completeMessages(test.context, rows);
    return shown.map(({ mail: { subject } }) => subject).filter((subject) => subject !== 'alone');
  };
  /** The group that these mails were accepted in. */
  const groupOf = async (ids: string[]) => {
    const queue = await test.context.queues.open(ingestJob);
    const job = await queue.getJob(firstJobId(ids[0]!));
    const payload = ingestJob.payload.parse(job?.data);
    if (!('mails' in payload)) throw new Error('not a group');
    return payload;
  };
  const work = () => test.work(...INGEST);
  const waiting = async () => (await test.context.mailSpool.totals()).waiting;

  it('are stored in one commit, shown in their order, and settled', async () => {
    const { groupMails } = test.context.metrics.mail;
    const names = numbered(20);
    const group = await groupOf(await accept(names.map(mail)));
    await ingestMessage.run(test.context, group, RUN);
    expect(await subjects()).to.deep.equal([...names].reverse());
    expect(await waiting()).to.include({ mails: 1 }); // the one that was alone
    const { values } = await groupMails.get();
    const value = (name: string) => values.find(({ metricName }) => metricName === name)?.value;
    expect(value('mayfly_group_commit_mails_count')).to.equal(1);
    expect(value('mayfly_group_commit_mails_sum')).to.equal(20);
  });

  it('are stored once if their job runs again', async () => {
    const names = numbered(5);
    const group = await groupOf(await accept(names.map(mail)));
    await test.run(ingestMessage, group);
    await work();
    expect(await subjects()).to.have.members(names);
    expect(await waiting()).to.deep.equal({ mails: 0, bytes: 0 });
  });

  it('do not wait for one that cannot be parsed in the worker', async () => {
    const names = numbered(49);
    await accept([...names.slice(0, 20).map(mail), COMPLEX, ...names.slice(20).map(mail)]);
    let goOn!: () => void;
    const stuck = new Promise<void>((resolve) => (goOn = resolve));
    const pool = test.context.ingest.parsePool;
    const parseQuickly: ParsePool['parseQuickly'] = async (source, size) =>
      stuck.then(() => pool.parseQuickly(source, size));
    const context = withIngest(test.context, { parsePool: { ...pool, parseQuickly } });
    await whileWorking({ ...test, context }, INGEST, async () => {
      try {
        await eventually('the 49', async () => {
          const shown = new Set(await subjects());
          return names.every((name) => shown.has(name));
        });
        expect(await subjects()).to.not.include('complex');
      } finally {
        goOn();
      }
      await eventually('the complex mail', async () => (await subjects()).includes('complex'));
    });
    expect(await subjects()).to.have.length(50);
    expect(await waiting()).to.deep.equal({ mails: 0, bytes: 0 });
  });

  it('leave for jobs of their own, before any is parsed, once a worker died with them', async () => {
    const names = numbered(5);
    const ids = await accept(names.map(mail));
    const group = await groupOf(ids);
    const parsePool = {
      ...test.context.ingest.parsePool,
      parseInline: async () => {
        throw new Error('parsed');
      },
    };
    const context = withIngest(test.context, { parsePool });
    await ingestMessage.run(context, group, { ...RUN, stalls: 1 });
    const queue = await test.context.queues.open(heavyJob);
    const own = await Promise.all(ids.map((id) => queue.getJob(id)));
    // They have met one crash, so each is parsed in a child process.
    expect(own.map((job) => heavyJob.payload.parse(job?.data))).to.deep.equal(
      group.mails.map((accepted) => ({ ...accepted, stalls: 1 })),
    );
    expect(await subjects()).to.deep.equal([]);
    await test.context.queues.discard(ingestJob, firstJobId(ids[0]!));
    await work();
    expect(await subjects()).to.deep.equal([...names].reverse());
    expect(await waiting()).to.deep.equal({ mails: 0, bytes: 0 });
  });

  it('are taken over from a worker that died with them', async () => {
    const names = numbered(5);
    const ids = await accept(names.map(mail));
    let isTaken = false;
    const never = { ...ingestMessage, worker: { ...ingestMessage.worker, lockDuration: 500 } };
    const dying: typeof never = {
      ...never,
      runUnknown: (_context, payload) => {
        isTaken ||= 'mails' in ingestJob.payload.parse(payload);
        return new Promise<void>(() => undefined);
      },
    };
    await whileDying(test, dying, () => eventually('the group to be taken', () => isTaken));
    // The mail that was alone is taken over too, before the group or after it.
    await whileWorking(test, [withQuickTakeover(never), ingestHeavy, ingestSlow], () =>
      eventually('no mail to wait', async () => (await waiting()).mails === 0),
    );
    expect(await subjects()).to.have.members(names);
    expect(ids).to.have.length(5);
    expect(await waiting()).to.deep.equal({ mails: 0, bytes: 0 });
  });

  it('stay together while the database is unavailable', async () => {
    const group = await groupOf(await accept(numbered(5).map(mail)));
    const { writer } = test.context.ingest;
    const { DatabaseUnavailable } = await import('../../../db/errors.ts');
    const away = withIngest(test.context, {
      writer: { ...writer, add: () => Promise.reject(new DatabaseUnavailable('away')) },
    });
    const error = await rejection(ingestMessage.run(away, group, RUN));
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect(await waiting()).to.include({ mails: 6 });
    await work();
    expect(await subjects()).to.have.length(5);
  });

  it('are dropped for a mailbox deleted meanwhile, also under a reused name', async () => {
    await accept(numbered(5).map(mail));
    await deleteMailbox(test.context, test.caller, 'box');
    await test.mailbox();
    await work();
    expect(await subjects()).to.deep.equal([]);
    expect(await test.context.store.db.select().from(test.context.store.db.t.mails)).to.have.length(
      0,
    );
    expect(await waiting()).to.deep.equal({ mails: 0, bytes: 0 });
  });

  it('leave the one whose bytes are missing to its own job, which says so', async () => {
    const names = numbered(3);
    const ids = await accept(names.map(mail));
    await test.context.mailSpool.ack([{ ingestId: ids[1]! }]);
    await whileWorking(test, INGEST, async () => {
      await eventually(
        'the failure',
        async () => (await ingestState(test.context, ids[1]!)) === 'failed',
      );
      await eventually('the others', async () => (await subjects()).length === 2);
    });
  });

  it('are no orphans to the sweep, together or after they have left', async () => {
    const ids = await accept([...numbered(2).map(mail), COMPLEX]);
    const kept = async () =>
      (await test.context.mailSpool.getAll(ids)).map((bytes) => bytes !== null);
    const sweepLater = async () => {
      test.advance(2 * HOUR_MS);
      await test.run(sweepRawMail);
      test.advance(-2 * HOUR_MS);
    };
    await sweepLater();
    expect(await kept()).to.deep.equal([true, true, true]);
    await ingestMessage.run(test.context, await groupOf(ids), RUN);
    await test.context.queues.discard(ingestJob, firstJobId(ids[0]!));
    await sweepLater();
    expect(await kept()).to.deep.equal([false, false, true]);
    await test.context.queues.discard(heavyJob, ids[2]!);
    await sweepLater();
    expect(await kept()).to.deep.equal([false, false, false]);
  });

  it('are stored beside jobs of single mails, as the version before queued them', async () => {
    const single = await acceptMail(test.context, ['box@one.test'], mail('single'));
    await test.context.queues.enqueue(ingestMessage, single, single.ingestId);
    await accept(numbered(2).map(mail));
    await work();
    expect(await subjects()).to.have.members(['single', 'mail 0', 'mail 1']);
  });
});
