import { expect } from 'chai';
import { ingestJob, ingestJobs } from '../../../core/intake/ingest-job.ts';
import { ingestHeavy, ingestSlow, ingestMessage } from '../../../jobs/ingest.ts';
import type { ParsePool } from '../../../core/mime/parser-pool.ts';
import { priorityAt } from '../../../core/intake/load.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { INGEST } from '../../support/context/ingest.ts';
import { withIngest } from '../../support/context/with-parts.ts';
import { whileDying, whileWorking, withQuickTakeover } from '../../support/context/workers.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

const THEIRS = 'Subject: theirs\r\n\r\nx';
const tagged = (count: number) => Array.from({ length: count }, (_, n) => `box+${n}@one.test`);

describe('mail of a workspace beside much of another', () => {
  const test = service({ env: { WORKER_CONCURRENCY: '4' }, mailboxes: ['box'] });
  let stranger: string;
  /** Subjects in the order of their parsing. */
  let parsed: string[];
  let context: typeof test.context;
  beforeEach(async () => {
    stranger = await test.stranger();
    await test.api.post('/api/mailboxes', stranger).send({ name: 'box' }).expect(201);
    parsed = [];
    const { parsePool } = test.context.ingest;
    const note = (raw: unknown) => parsed.push(/Subject: (\w+)/.exec(String(raw))?.[1] ?? '');
    const part: Partial<ParsePool> = {
      parseInline: async (raw) => {
        note(raw);
        return parsePool.parseInline(raw);
      },
      parseQuickly: async (raw, size) => {
        note(raw);
        return parsePool.parseQuickly(raw, size);
      },
    };
    context = withIngest(test.context, { parsePool: { ...parsePool, ...part } });
  });

  const send = async (to: string[], raw: string, isOld = false) => {
    const mail = await acceptMail(test.context, to, raw);
    const { loads, ...old } = mail;
    const load = await test.context.mailSpool.largestLoad(loads ?? {});
    const [payload, priority] = isOld ? [old, 0] : [mail, priorityAt(load)];
    await test.context.queues.enqueue(ingestJob, payload, mail.ingestId, priority);
  };
  const sendTheirs = (raw = THEIRS) => send(['box@other1.test'], raw);
  const isEmpty = async () => {
    for (const job of ingestJobs) {
      const queue = await test.context.queues.open(job);
      const left = await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
      if (left > 0) return false;
    }
    return true;
  };
  const work = (jobs = INGEST) =>
    whileWorking({ config: test.config, context }, jobs, () =>
      eventually('empty queues', isEmpty, 60_000),
    );

  it('is stored before it', async () => {
    for (let n = 0; n < 12; n += 1) await send(tagged(20), `Subject: ours\r\n\r\n${n}`);
    await sendTheirs();
    await work();
    expect(parsed).to.have.length(13);
    expect(parsed.indexOf('theirs')).to.be.below(6); // four jobs at once
  });

  it('is stored before jobs of an older version, which have no priority', async () => {
    for (let n = 0; n < 12; n += 1) await send(tagged(20), `Subject: ours\r\n\r\n${n}`, true);
    await sendTheirs();
    await work();
    expect(parsed).to.have.length(13);
    expect(parsed.indexOf('theirs')).to.be.below(6);
  });

  it('is stored before jobs of a worker that died', async () => {
    await test.reopen({ WORKER_CONCURRENCY: '20' });
    stranger = await test.stranger();
    await test.api.post('/api/mailboxes', stranger).send({ name: 'box' }).expect(201);
    for (let n = 0; n < 12; n += 1) await send(tagged(20), `Subject: ours\r\n\r\n${n}`);
    let taken = 0;
    const brief = { ...ingestMessage.worker, lockDuration: 500 };
    const dying = {
      ...ingestMessage,
      worker: brief,
      runUnknown: () => {
        taken += 1;
        return new Promise<void>(() => undefined);
      },
    };
    await whileDying(test, dying, () => eventually('12 jobs', () => taken === 12));
    const { parsePool } = test.context.ingest;
    context = withIngest(test.context, {
      parsePool: {
        ...parsePool,
        parseQuickly: async (raw, size) => {
          parsed.push(Buffer.isBuffer(raw) && raw.includes('theirs') ? 'theirs' : 'ours');
          return parsePool.parseQuickly(raw, size);
        },
      },
    });
    const heavy = `${THEIRS}\r\nX-Long: ${'x'.repeat(20_000)}`.replace('\r\n\r\nx\r\n', '\r\n');
    const taking = withQuickTakeover({ ...ingestMessage, worker: brief });
    const untilHeavy = (count: number) =>
      whileWorking({ config: test.config, context }, [taking], () =>
        eventually(`${count} heavy mails`, async () => {
          const queue = await test.context.queues.open(ingestHeavy);
          return (await queue.getJobCountByTypes('prioritized')) === count;
        }),
      );
    await untilHeavy(12);
    await sendTheirs(`${heavy}\r\n\r\nx`);
    await untilHeavy(13);
    await work([ingestHeavy, ingestSlow]);
    expect(parsed).to.have.length(13);
    expect(parsed.indexOf('theirs')).to.be.below(4); // two jobs at once
  });
});
