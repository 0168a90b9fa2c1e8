import { expect } from 'chai';
import type { ParsePool } from '../../../core/mime/parser-pool.ts';
import { createMailbox, findMailbox, listMailboxes } from '../../../core/mailboxes/mailboxes.ts';
import { completeMessages, listMessages } from '../../../core/messages/messages.ts';
import type { Caller } from '../../../core/auth/caller.ts';
import { verifyToken } from '../../../core/auth/tokens.ts';
import { createWorkspace } from '../../../core/workspaces/workspaces.ts';
import { ingestMessage } from '../../../jobs/ingest-message.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { bombs } from '../../support/mail/bombs.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { withIngest } from '../../support/context/with-parts.ts';
import { whileWorking } from '../../support/context/workers.ts';

const SMALL = 'Subject: small\r\n\r\nx';
const LARGE = `Subject: large\r\n\r\n${'x'.repeat(1_100_000)}`;
const SLOW = bombs[0]!.make(250_000).toString('latin1');

describe('heavy mail', () => {
  let test: TestContext;
  let goOn: () => void;
  let stuck: Promise<void>;

  const open = async (env: Record<string, string>) => {
    test = await openTestContext(env);
    stuck = new Promise((resolve) => (goOn = resolve));
    await createMailbox(test.context, test.caller, 'box');
  };
  afterEach(() => test.close());

  const send = async (recipient: string, raw: string) => {
    const mail = await acceptMail(test.context, [recipient], raw);
    await test.context.queues.enqueue(ingestMessage, mail, mail.ingestId);
  };
  const stored = async (caller: Caller) =>
    (await listMailboxes(test.context, caller))[0]?.messageCount;
  /** The context with a parser pool that blocks in some calls. */
  const blocked = (part: Partial<ParsePool>) => ({
    config: test.config,
    context: withIngest(test.context, { parsePool: { ...test.context.ingest.parsePool, ...part } }),
  });

  for (const [what, raw] of [
    ['large', LARGE],
    ['slow to parse', SLOW],
  ] as const) {
    it(`that is ${what} leaves slots for other mail, and gets its turn`, async () => {
      await open({ WORKER_CONCURRENCY: '4' });
      const { parsePool } = test.context.ingest;
      const parseQuickly: ParsePool['parseQuickly'] = async (source, size) =>
        stuck.then(() => parsePool.parseQuickly(source, size));
      for (const bytes of [...Array<string>(10).fill(raw), ...Array<string>(10).fill(SMALL)]) {
        await send('box@one.test', bytes);
      }
      await whileWorking(blocked({ parseQuickly }), [ingestMessage], async () => {
        try {
          await eventually('the small mail', async () => (await stored(test.caller)) === 10);
        } finally {
          goOn();
        }
        await eventually('all mail', async () => (await stored(test.caller)) === 20, 100_000);
      });
    });
  }

  it('of one workspace that exceeds the quick lane leaves turns for another', async () => {
    await open({});
    const { context, caller } = test;
    const { token } = await createWorkspace(context, {
      name: 'two',
      domain: 'two.test',
      plan: 'pro',
    });
    const neighbour = (await verifyToken(context, token))!;
    await createMailbox(context, neighbour, 'box');
    /** Heavy because of its header; its text identifies it. */
    const slow = `Subject: slow\r\nCc: ${'a@x.test, '.repeat(2000)}a@x.test\r\n\r\nx`;
    const isSlow = (source: unknown) =>
      Buffer.isBuffer(source) && source.subarray(0, 13).toString() === 'Subject: slow';
    const { parsePool } = context.ingest;
    const part: Partial<ParsePool> = {
      // The long time limit: a loaded machine can exceed the short one.
      parseQuickly: async (source) => (isSlow(source) ? null : parsePool.parse(source)),
      parse: async (source, onLimit) => {
        if (isSlow(source)) await stuck;
        return parsePool.parse(source, onLimit);
      },
    };
    for (let n = 0; n < 100; n += 1) await send('box@one.test', slow);
    await whileWorking(blocked(part), [ingestMessage], async () => {
      try {
        await send('box@two.test', `Subject: large\r\n\r\n${'x'.repeat(2_000_000)}`);
        await eventually('the other mail', async () => (await stored(neighbour)) === 1);
        expect(await stored(caller)).to.equal(0);
      } finally {
        goOn();
      }
    });
    const mailbox = await findMailbox(context, neighbour, 'box');
    const { rows } = await listMessages(context, mailbox, { limit: 1 });
    const [message] = await completeMessages(context, rows);
    expect(message?.mail).to.include({ subject: 'large', parseError: null });
  });
});
