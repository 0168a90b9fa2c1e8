import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../core/root.ts';
import { readBlob } from '../../../core/blobs/blob-store.ts';
import { createMailbox, deleteMailbox, findMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { completeMessages, listMessages } from '../../../core/messages/messages.ts';
import type { Context } from '../../../core/context.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import type { Caller } from '../../../core/auth/caller.ts';
import { ingestMessage } from '../../../jobs/ingest-message.ts';
import { GiveUp } from '../../../core/queue/job.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';

describe('ingest-message', () => {
  let test: TestContext;
  let context: Context;
  let caller: Caller;

  beforeEach(async () => {
    test = await openTestContext();
    ({ context, caller } = test);
    await createMailbox(context, caller, 'first');
    await createMailbox(context, caller, 'second');
  });
  afterEach(() => test.close());

  const run = (mail: AcceptedMail) =>
    ingestMessage.run(context, mail, { jobId: mail.ingestId, start: 1, stalls: 0 });
  const messagesOf = async (name: string) => {
    const mailbox = await findMailbox(context, caller, name);
    const { rows } = await listMessages(context, mailbox, { limit: 100 });
    return completeMessages(context, rows);
  };

  it('stores one mail as a message in each mailbox and tag', async () => {
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    await run(
      await acceptMail(context, ['first@one.test', 'first+Tag@one.test', 'second@one.test'], raw),
    );
    const first = await messagesOf('first');
    expect(first.map(({ message }) => message.tag)).to.have.members([null, 'Tag']);
    const [second] = await messagesOf('second');
    expect(second?.mail.subject).to.equal('Ihre Bestellung № 42 — Grüße 🦋');
    expect(second?.attachments).to.have.length(2);
    expect(await context.store.db.select().from(context.store.db.t.mails)).to.have.length(1);
  });

  it('keeps the raw source unchanged', async () => {
    const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
    await run(await acceptMail(context, ['first@one.test'], raw));
    const [row] = await context.store.db.select().from(context.store.db.t.mails);
    expect(row?.raw?.equals(raw)).to.equal(true);
  });

  it('stores a repeated job once and removes its raw bytes', async () => {
    const mail = await acceptMail(context, ['first@one.test'], 'Subject: once\r\n\r\nx');
    await run(mail);
    await run(mail);
    await context.mailSpool.put(mail.ingestId, [Buffer.from('Subject: once\r\n\r\nx')], 20);
    await run(mail);
    expect(await messagesOf('first')).to.have.length(1);
    expect(await context.mailSpool.get(mail.ingestId, mail.raw)).to.equal(null);
    expect(await context.redis.get(`${context.config.redisPrefix}:raw:bytes`)).to.equal('0');
  });

  it('gives up with raw_missing if the raw bytes of an unstored mail are missing', async () => {
    const mail = await acceptMail(context, ['first@one.test'], 'x');
    await context.mailSpool.ack(mail.ingestId);
    const error: unknown = await run(mail).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(GiveUp).with.property('message', 'raw_missing');
  });

  it('stores attachments and raw mail above 1 MiB in the blob store', async () => {
    const large = Buffer.alloc(1_048_577, 7).toString('base64').replace(/.{76}/g, '$&\r\n');
    const exact = Buffer.alloc(1_048_576, 8).toString('base64').replace(/.{76}/g, '$&\r\n');
    const part = (name: string, body: string) =>
      `--b\r\nContent-Type: application/x-test; name=${name}\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
    const raw = `Subject: large\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part('large', large)}${part('exact', exact)}--b--\r\n`;
    await run(await acceptMail(context, ['first@one.test'], raw));
    const rows = await context.store.db.select().from(context.store.db.t.attachments);
    const [big, inline] = ['large', 'exact'].map((name) =>
      rows.find((row) => row.filename === name),
    );
    expect(big?.content).to.equal(null);
    expect(await readBlob(context.blobs, big?.blobKey ?? '')).to.have.length(1_048_577);
    expect(inline?.content).to.have.length(1_048_576);
    expect(inline?.blobKey).to.equal(null);
    const [mail] = await context.store.db.select().from(context.store.db.t.mails);
    expect(String(await readBlob(context.blobs, mail?.rawBlobKey ?? ''))).to.equal(raw);
  });

  it('stores nothing for a mailbox deleted meanwhile, also under a reused name', async () => {
    const mail = await acceptMail(context, ['first@one.test'], 'Subject: late\r\n\r\nx');
    await deleteMailbox(context, caller, 'first');
    await createMailbox(context, caller, 'first');
    await run(mail);
    expect(await messagesOf('first')).to.have.length(0);
    expect(await context.store.db.select().from(context.store.db.t.mails)).to.have.length(0);
  });
});
