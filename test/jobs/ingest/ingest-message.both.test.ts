import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../core/root.ts';
import { readBlob } from '../../../core/blobs/blob-store.ts';
import { deleteMailbox, requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { completeMessages, listMessages } from '../../../core/messages/messages.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { openMailSpool } from '../../../core/intake/spool.ts';
import { openQueues } from '../../../core/queue/queues.ts';
import { ingestMessage } from '../../../jobs/ingest.ts';
import { INGEST, failedIngest, ingestNow } from '../../support/context/ingest.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { whileWorking } from '../../support/context/workers.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

describe('ingest-message', () => {
  const test = service({ mailboxes: ['first', 'second'] });

  const accept = (raw: string) => acceptMail(test.context, ['first@one.test'], raw);
  const run = (mail: AcceptedMail) => ingestNow(test.context, mail);
  const messagesOf = async (name: string) => {
    const mailbox = await requireMailbox(test.context, test.caller, name);
    const { rows } = await listMessages(test.context, mailbox, { limit: 100 });
    return completeMessages(test.context, rows);
  };
  const mails = () => test.context.store.db.select().from(test.context.store.db.t.mails);

  it('stores one mail as a message in each mailbox and tag', async () => {
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    await test.deliver(['first', 'first+Tag', 'second'], raw);
    const first = await messagesOf('first');
    expect(first.map(({ message }) => message.tag)).to.have.members([null, 'Tag']);
    const [second] = await messagesOf('second');
    expect(second?.mail.subject).to.equal('Ihre Bestellung № 42 — Grüße 🦋');
    expect(second?.attachments).to.have.length(2);
    expect(await mails()).to.have.length(1);
  });

  it('keeps the raw source unchanged', async () => {
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    await test.receive('first', raw);
    const [row] = await mails();
    expect(row?.raw?.equals(raw)).to.equal(true);
  });

  it('stores a repeated job once and removes its raw bytes', async () => {
    const mail = await accept('Subject: once\r\n\r\nx');
    const { context } = test;
    await run(mail);
    await run(mail);
    await context.mailSpool.put([
      { ...mail, chunks: [Buffer.from('Subject: once\r\n\r\nx')], size: 20 },
    ]);
    await run(mail);
    expect(await messagesOf('first')).to.have.length(1);
    expect(await context.mailSpool.get(mail.ingestId, mail.raw)).to.equal(null);
    expect(await context.redis.get(`${context.config.redisPrefix}:raw:bytes`)).to.equal('0');
  });

  it('gives up with raw_missing if the raw bytes of an unstored mail are missing', async () => {
    const { context } = test;
    const mail = await accept('x');
    await context.redis.del(`${context.config.redisPrefix}:raw:${mail.ingestId}`);
    await context.queues.enqueue(ingestMessage, mail, mail.ingestId);
    await whileWorking(test, INGEST, async () => {
      const job = await eventually('the failure', async () => (await failedIngest(context))[0]);
      expect(job).to.include({ id: mail.ingestId, failedReason: 'raw_missing', attemptsMade: 1 });
    });
    expect((await context.mailSpool.totals()).waiting).to.deep.equal({ mails: 0, bytes: 0 });
    expect(await context.mailSpool.largestLoad(mail.loads ?? {})).to.equal(0);
  });

  it('tries again if the Redis server without the raw bytes does not have the job either', async () => {
    const { context, config } = test;
    const mail = await accept('Subject: once\r\n\r\nx');
    await context.queues.enqueue(ingestMessage, mail, mail.ingestId);
    const { redis, blobs, log } = context;
    const former = {
      ...context,
      mailSpool: openMailSpool(redis, 'former', blobs, config.maxQueuedBytes),
      queues: openQueues(redis, 'former', log),
    };
    await whileWorking({ ...test, context: former }, INGEST, async () => {
      const queue = await context.queues.open(ingestMessage);
      await eventually('a failure', async () => (await queue.getDelayedCount()) === 1);
    });
    await former.queues.close();
    expect(await failedIngest(context)).to.deep.equal([]);
    await whileWorking(test, INGEST, () =>
      eventually('the mail', async () => (await messagesOf('first')).length === 1),
    );
  });

  it('stores attachments and raw mail above 1 MiB in the blob store', async () => {
    const large = Buffer.alloc(1_048_577, 7).toString('base64').replace(/.{76}/g, '$&\r\n');
    const exact = Buffer.alloc(1_048_576, 8).toString('base64').replace(/.{76}/g, '$&\r\n');
    const part = (name: string, body: string) =>
      `--b\r\nContent-Type: application/x-test; name=${name}\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
    const raw = `Subject: large\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part('large', large)}${part('exact', exact)}--b--\r\n`;
    const { context } = test;
    await test.receive('first', raw);
    const rows = await context.store.db.select().from(context.store.db.t.attachments);
    const [big, inline] = ['large', 'exact'].map((name) =>
      rows.find((row) => row.filename === name),
    );
    expect(big?.content).to.equal(null);
    expect(await readBlob(context.blobs, big?.blobKey ?? '')).to.have.length(1_048_577);
    expect(inline?.content).to.have.length(1_048_576);
    expect(inline?.blobKey).to.equal(null);
    const [mail] = await mails();
    expect(String(await readBlob(context.blobs, mail?.rawBlobKey ?? ''))).to.equal(raw);
  });

  it('stores nothing for a mailbox deleted meanwhile, also under a reused name', async () => {
    const mail = await accept('Subject: late\r\n\r\nx');
    await deleteMailbox(test.context, test.caller, 'first');
    await test.mailbox('first');
    await run(mail);
    expect(await messagesOf('first')).to.have.length(0);
    expect(await mails()).to.have.length(0);
  });
});
