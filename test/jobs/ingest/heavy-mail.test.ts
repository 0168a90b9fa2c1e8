import { expect } from 'chai';
import type { RawSource } from '../../../core/blobs/blob-store.ts';
import type { ParsePool } from '../../../core/mime/parser-pool.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { heavyJob, slowJob } from '../../../core/intake/ingest-job.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { INGEST } from '../../support/context/ingest.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { bombs } from '../../support/mail/bombs.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';
import { withIngest } from '../../support/context/with-parts.ts';
import { whileWorking } from '../../support/context/workers.ts';

const SMALL = 'Subject: small\r\n\r\nx';
const sized = (bytes: number) => `Subject: large\r\n\r\n${'x'.repeat(bytes)}`;
const LARGE = sized(1_100_000);
const SLOW = bombs[0]!.make(250_000).toString('latin1');
/** Heavy because of its header; its text identifies it. */
const LONG_HEADER = `Subject: slow\r\nCc: ${'a@x.test, '.repeat(2000)}a@x.test\r\n\r\nx`;
const isLongHeader = (source: unknown) =>
  Buffer.isBuffer(source) && source.subarray(0, 13).toString() === 'Subject: slow';

describe('heavy mail', () => {
  const test = service({ once: true, env: { WORKER_CONCURRENCY: '60' } });
  let goOn: () => void;
  let stuck: Promise<void>;
  let stranger: string;
  let count = 0;
  /** The mailbox of a test, in both workspaces. */
  let box: string;
  let [ours, theirs] = ['', ''];
  beforeEach(async () => {
    stuck = new Promise((resolve) => (goOn = resolve));
    stranger = await test.stranger();
    box = `box${(count += 1)}`;
    [ours, theirs] = [`${box}@one.test`, `${box}@other${count}.test`];
    await test.mailbox(box);
    await test.api.post('/api/mailboxes', stranger).send({ name: box }).expect(201);
  });

  const send = async (recipient: string, raw: string, change: Partial<AcceptedMail> = {}) => {
    const mail = { ...(await acceptMail(test.context, [recipient], raw)), ...change };
    await test.context.queues.enqueue(ingestMessage, mail, mail.ingestId);
  };
  const stored = async (token?: string) => {
    const { body } = await test.api.get(`/api/mailboxes/${box}`, token).expect(200);
    return (body as { messageCount: number }).messageCount;
  };
  const areStored = (wanted: number, token?: string) =>
    eventually(`${wanted} mails`, async () => (await stored(token)) === wanted, 100_000, 100);
  /** Works with a parser pool that blocks in some calls until `during` ends. */
  const blocked = (part: Partial<ParsePool>, during: () => Promise<unknown>) => {
    const parsePool = { ...test.context.ingest.parsePool, ...part };
    const context = withIngest(test.context, { parsePool });
    return whileWorking({ config: test.config, context }, INGEST, async () => {
      try {
        await during();
      } finally {
        goOn();
      }
    });
  };
  const areHeavy = (count: number) =>
    eventually(`${count} jobs`, async () => {
      let jobs = 0;
      for (const job of [heavyJob, slowJob]) {
        const queue = await test.context.queues.open(job);
        jobs += await queue.getJobCountByTypes('active', 'prioritized');
      }
      return jobs === count;
    });

  for (const [what, atOnce, raw, change] of [
    ['of 1 MB', 2, LARGE, {}],
    ['of 24 MB', 1, LARGE, { size: 24_000_000 }],
    ['that met two crashes of a worker', 1, SMALL, { stalls: 2 }],
  ] as const) {
    it(`${what} is parsed ${atOnce} at a time`, async () => {
      const { parsePool } = test.context.ingest;
      let parsing = 0;
      let most = 0;
      const parse = async (source: RawSource) => {
        parsing += 1;
        most = Math.max(most, parsing);
        await stuck;
        return parsePool.parse(source).finally(() => (parsing -= 1));
      };
      for (let n = 0; n < 3; n += 1) await send(ours, raw, change);
      await blocked({ parse, parseQuickly: parse }, async () => {
        await areHeavy(3);
        await eventually('the first ones', () => parsing === atOnce);
        goOn();
        await areStored(3);
      });
      expect(most).to.equal(atOnce);
    });
  }

  for (const [what, raw] of [
    ['is large', LARGE],
    ['exceeds the quick lane', LONG_HEADER],
  ] as const) {
    it(`that ${what} gets its turn before more of another workspace`, async () => {
      const { parsePool } = test.context.ingest;
      const other = `${raw} theirs`;
      const order: string[] = [];
      const begin = async (size: number) => {
        order.push(size === other.length ? 'theirs' : 'ours');
        await stuck;
      };
      const isSlow = raw === LONG_HEADER;
      const part: Partial<ParsePool> = {
        parseQuickly: async (source, size) => {
          if (isSlow) return null;
          await begin(size);
          return parsePool.parseQuickly(source, size);
        },
        parse: async (source, onLimit) => {
          if (isSlow && Buffer.isBuffer(source)) await begin(source.length);
          return parsePool.parse(source, onLimit);
        },
      };
      for (let n = 0; n < 6; n += 1) await send(ours, raw);
      await blocked(part, async () => {
        await eventually('the first one', () => order.length > 0);
        await areHeavy(6);
        await send(theirs, other);
        await areHeavy(7);
        goOn();
        await areStored(6);
        await areStored(1, stranger);
      });
      expect(order.indexOf('theirs')).to.be.within(1, 4);
    });
  }

  it('of one workspace that exceeds the quick lane leaves turns for another', async () => {
    const { parsePool } = test.context.ingest;
    const part: Partial<ParsePool> = {
      // The long time limit: a loaded machine can exceed the short one.
      parseQuickly: async (source) => (isLongHeader(source) ? null : parsePool.parse(source)),
      parse: async (source, onLimit) => {
        if (isLongHeader(source)) await stuck;
        return parsePool.parse(source, onLimit);
      },
    };
    for (let n = 0; n < 8; n += 1) await send(ours, LONG_HEADER);
    await blocked(part, async () => {
      await send(theirs, sized(2_000_000));
      await areStored(1, stranger);
      expect(await stored()).to.equal(0);
      goOn();
      await areStored(8);
    });
    const { body } = await test.api.get(`/api/mailboxes/${box}/messages`, stranger).expect(200);
    const [message] = (body as { messages: object[] }).messages;
    expect(message).to.include({ subject: 'large' }).and.not.have.property('parseError');
  });

  describe('with four jobs at a time', () => {
    before(() => test.reopen({ WORKER_CONCURRENCY: '4' }));

    for (const [what, raw] of [
      ['large', LARGE],
      ['slow to parse', SLOW],
    ] as const) {
      it(`that is ${what} leaves slots for other mail, and gets its turn`, async () => {
        const { parsePool } = test.context.ingest;
        const parseQuickly: ParsePool['parseQuickly'] = async (source, size) =>
          stuck.then(() => parsePool.parseQuickly(source, size));
        for (const bytes of [...Array<string>(5).fill(raw), ...Array<string>(5).fill(SMALL)]) {
          await send(ours, bytes);
        }
        await blocked({ parseQuickly }, async () => {
          await areStored(5);
          goOn();
          await areStored(10);
        });
      });
    }
  });
});
