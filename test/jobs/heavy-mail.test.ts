import { expect } from 'chai';
import type { ParsePool } from '../../core/parse-pool.js';
import { createMailbox, listMailboxes } from '../../core/mailboxes.js';
import { ingestMessage } from '../../jobs/ingest-message.js';
import { acceptMail } from '../support/accept.js';
import { bombs } from '../support/bombs.js';
import { type TestContext, openTestContext } from '../support/context.js';
import { eventually } from '../support/eventually.js';
import { whileWorking } from '../support/workers.js';

const SMALL = 'Subject: small\r\n\r\nx';
const LARGE = `Subject: large\r\n\r\n${'x'.repeat(1_100_000)}`;
const SLOW = bombs[0]!.make(250_000).toString('latin1');

describe('heavy mail', () => {
  let test: TestContext;

  beforeEach(async () => {
    test = await openTestContext({ WORKER_CONCURRENCY: '4' });
    await createMailbox(test.context, test.caller, 'box');
  });
  afterEach(() => test.close());

  for (const [what, raw] of [
    ['large', LARGE],
    ['slow to parse', SLOW],
  ] as const) {
    it(`that is ${what} leaves places for other mail, and has its turn`, async () => {
      const { context, config } = test;
      let goOn: () => void = () => undefined;
      const stuck = new Promise<void>((resolve) => (goOn = resolve));
      const parse: ParsePool['parse'] = async (source) =>
        stuck.then(() => context.parsePool.parse(source));
      const blocked = { ...context, parsePool: { ...context.parsePool, parse } };
      const mails = [...Array<string>(10).fill(raw), ...Array<string>(10).fill(SMALL)];
      for (const bytes of mails) {
        const mail = await acceptMail(context, ['box@one.test'], bytes);
        await context.queues.enqueue(ingestMessage, mail, mail.ingestId);
      }
      const stored = async () => {
        const [mailbox] = await listMailboxes(context, test.caller.workspace);
        return mailbox?.messageCount;
      };
      await whileWorking({ context: blocked, config }, [ingestMessage], async () => {
        try {
          await eventually('the small mail', async () => (await stored()) === 10);
        } finally {
          goOn();
        }
        await eventually('all mail', async () => (await stored()) === 20, 20_000);
      });
      expect(context.heavyMail.enter('another')).to.equal(null);
    });
  }
});
