import { expect } from 'chai';
import { ingestJobs } from '../../../core/intake/ingest-job.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { acceptTogether, openTestIntake } from '../../support/context/accept-together.ts';
import { INGEST, ingestNow } from '../../support/context/ingest.ts';
import {
  acceptAsBefore,
  storeAsBefore,
  writeOldDirectory,
} from '../../support/context/old-writer.ts';
import { withIngest } from '../../support/context/with-parts.ts';
import { whileWorking } from '../../support/context/workers.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';

const mailOf = (subject: string) => `Subject: ${subject}\r\n\r\nx`;
const subjectsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}-${n}`);

describe('processes of the version before, beside those of this one', () => {
  const test = service({ env: { WORKER_CONCURRENCY: '4' }, mailboxes: ['box', 'marked'] });

  const openJobs = async () => {
    let count = 0;
    for (const job of ingestJobs) {
      const queue = await test.context.queues.open(job);
      count += await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
    }
    return count;
  };
  const keys = (name: string) => `${test.config.redisPrefix}:raw:${name}`;

  it('lose no mail, store none twice, and marks pass no row over', async () => {
    await writeOldDirectory(test.context);
    const { id } = await requireMailbox(test.context, test.caller, 'marked');
    const expected: string[] = [];
    const named = (name: string, count: number) => {
      const subjects = subjectsOf(name, count);
      expected.push(...subjects);
      return subjects;
    };
    const to = ['marked@one.test'];
    const payloads: object[] = [];
    const old = async (subjects: string[]) =>
      payloads.push(
        await acceptAsBefore(
          test.context,
          subjects.map((subject) => ({ to, raw: mailOf(subject) })),
        ),
      );

    const seen: string[] = [];
    let mark = await test.mark('marked');
    const read = async () => {
      const query = `mark=${mark}&timeout=0&count=100`;
      const { body } = await test.api.get(`/api/mailboxes/marked/messages/wait?${query}`);
      const answer = body as { mark: string; messages: { subject: string }[] };
      seen.push(...answer.messages.map(({ subject }) => subject));
      mark = answer.mark;
    };
    for (const subject of named('single', 12)) await old([subject]);
    await old(named('group', 8));
    expected.push('alone');
    await acceptTogether(openTestIntake(test.context), id, named('new', 8).map(mailOf));
    await whileWorking(test, INGEST, async () => {
      for (const subject of named('row', 10)) {
        await storeAsBefore(test.context, id, to[0]!, subject);
        await old(named(`late-${subject}`, 3));
        await read();
      }
      await eventually('empty queues', async () => (await openJobs()) === 0, 60_000);
    });
    // Jobs whose mail a worker of the version before has stored without removing them.
    for (const payload of payloads) {
      await ingestNow(test.context, ingestMessage.payload.parse(payload), {
        ...{ jobId: '', start: 1, stalls: 0, priority: 1 },
      });
    }
    await read();
    expect(seen.sort()).to.deep.equal(expected.sort());
    const listed = await test.messages('marked', '?limit=100');
    expect(listed.map(({ subject }) => subject).sort()).to.deep.equal(expected);

    const { waiting, quarantined } = await test.context.mailSpool.totals();
    expect([waiting, quarantined]).to.deep.equal([
      { mails: 0, bytes: 0 },
      { mails: 0, bytes: 0 },
    ]);
    expect(await test.context.redis.hgetall(keys('loads'))).to.deep.equal({});
  });

  it('delay no mail of another workspace by jobs without a priority', async () => {
    const stranger = await test.stranger();
    const { body } = await test.api.post('/api/mailboxes', stranger).send({ name: 'box' });
    await writeOldDirectory(test.context);
    const tagged = Array.from({ length: 20 }, (_, n) => `box+${n}@one.test`);
    for (const subject of subjectsOf('single', 20)) {
      await acceptAsBefore(test.context, [{ to: tagged, raw: mailOf(subject) }]);
    }
    for (const name of subjectsOf('group', 5)) {
      const mails = subjectsOf(name, 4).map((subject) => ({ to: tagged, raw: mailOf(subject) }));
      await acceptAsBefore(test.context, mails);
    }
    const { id } = body as { id: string };
    await acceptTogether(openTestIntake(test.context), id, [mailOf('theirs')]);

    const parsed: string[] = [];
    const note = (raw: unknown) => parsed.push(/Subject: (\S+)/.exec(String(raw))?.[1] ?? '');
    const { parsePool } = test.context.ingest;
    const context = withIngest(test.context, {
      parsePool: {
        ...parsePool,
        parseInline: async (raw) => {
          note(raw);
          return parsePool.parseInline(raw);
        },
      },
    });
    await whileWorking({ config: test.config, context }, INGEST, () =>
      eventually('empty queues', async () => (await openJobs()) === 0, 60_000),
    );
    expect(parsed).to.have.length(42);
    expect(parsed.indexOf('theirs')).to.be.below(10); // four jobs at once
  });
});
