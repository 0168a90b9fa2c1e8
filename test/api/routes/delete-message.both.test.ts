import { expect } from 'chai';
import { deleteBlobs } from '../../../jobs/removal.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { ingestNow } from '../../support/context/ingest.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type TestS3, startS3 } from '../../support/servers/s3.ts';
import { storedBlobs } from '../../support/context/stored-blobs.ts';
import { whileWorking } from '../../support/context/workers.ts';
import { service } from '../../support/service.ts';

const LARGE = attachmentMail([{ name: 'a', bytes: Buffer.alloc(1_048_577, 'large') }]);

describe('DELETE /api/mailboxes/:name/messages/:id', () => {
  const test = service({ mailboxes: ['box', 'other', 'third'] });
  const { api, reopen } = test;

  const arrive = async (raw = 'Subject: x\r\n\r\nx', recipients = ['box']) =>
    (await test.deliver(recipients, raw)).messages.map(({ id }) => id) as [string, ...string[]];
  const path = (name: string, id: string) => `/api/mailboxes/${name}/messages/${id}`;
  const blobKeys = () => storedBlobs(test.context);
  const whileDeletingBlobs = (during: () => Promise<unknown>) =>
    whileWorking(test, [deleteBlobs], during);

  describe('on disk', () => {
    it('204: the message is deleted, and others stay', async () => {
      const [id] = await arrive();
      const [kept] = await arrive();
      const answer = await api.delete(path('box', id)).expect(204);
      expect(answer.text).to.equal('');
      await api.get(path('box', id)).expect(404);
      await api.get(path('box', kept)).expect(200);
      const { body } = await api.get('/api/mailboxes/box/messages').expect(200);
      expect(body).to.include({ total: 1 });
      expect((await api.get('/api/mailboxes').expect(200)).body[2]).to.include({ messageCount: 1 });
    });

    it('204: repeated, concurrent, unknown message, unknown mailbox, expired', async () => {
      const [id] = await arrive();
      const answers = await Promise.all([1, 2, 3].map(() => api.delete(path('box', id))));
      expect(answers.map(({ status }) => status)).to.deep.equal([204, 204, 204]);
      await api.delete(path('box', id)).expect(204);
      await api.delete(path('box', 'msg_none')).expect(204);
      await api.delete(path('box', 'x')).expect(204);
      await api.delete(path('none', id)).expect(204);
      const [old] = await arrive();
      test.advance(86_400_000 + 1000);
      await api.delete(path('box', old)).expect(204);
    });

    it('204: other workspaces and mailboxes are not affected', async () => {
      const [id] = await arrive();
      const token = await test.stranger();
      await api.delete(path('box', id), token).expect(204);
      await api.post('/api/mailboxes', token).send({ name: 'box' }).expect(201);
      await api.delete(path('box', id), token).expect(204);
      await api.delete(path('other', id)).expect(204);
      await api.get(path('box', id)).expect(200);
    });

    it('204: the mail stays for other mailboxes, and is removed with its last message', async () => {
      const [first, second] = await arrive(LARGE, ['box', 'other']);
      await api.delete(path('box', first)).expect(204);
      expect(await blobKeys()).to.have.length(2);
      const { body } = await api.get(path('other', second!)).expect(200);
      await api
        .get(`${path('other', second!)}/attachments/${body.attachments[0].id as string}`)
        .expect(200);
      await api.delete(path('other', second!)).expect(204);
      await whileDeletingBlobs(() =>
        eventually('the blobs to go', async () => (await blobKeys()).length === 0),
      );
      const [mail] = await test.context.store.db.select().from(test.context.store.db.t.mails);
      expect(mail).to.include({ subject: '', rawBlobKey: null, raw: null });
    });

    it('204: a deleted message stays deleted if its job is repeated, and leaves no blobs', async () => {
      const mail = await acceptMail(test.context, ['box@one.test'], LARGE);
      await ingestNow(test.context, mail);
      await api.delete(path('box', mail.messages[0]!.id)).expect(204);
      await ingestNow(test.context, mail); // its raw blob is not deleted yet
      await whileDeletingBlobs(() =>
        eventually('the blobs to go', async () => (await blobKeys()).length === 0),
      );
      await ingestNow(test.context, mail); // now it is
      await api.get(path('box', mail.messages[0]!.id)).expect(404);
      expect(await blobKeys()).to.deep.equal([]);
    });

    it('204: Redis unavailable; the sweep finds the blobs', async () => {
      const [id] = await arrive(LARGE);
      await test.redis.kill();
      await api.delete(path('box', id)).expect(204);
      await api.get(path('box', id)).expect(404);
    });

    describe('by the id of a sent mail', () => {
      /** Stores a mail like a send: the mail and its first message share a ULID. */
      const send = async (...recipients: [string, ...string[]]) => {
        const raw = `To: ${recipients.join(', ')}\r\nSubject: sent\r\n\r\nx`;
        const mail = await acceptMail(test.context, recipients, raw);
        const { id } = mail.messages[0]!;
        const sent = { ...mail, mailId: id.replace('msg_', 'mal_') };
        await ingestNow(test.context, sent);
        return mail.messages.map((message) => message.id) as [string, string, string];
      };

      it('resolves the message, its files and its source in the mailbox of every recipient', async () => {
        const [id, second] = await send('box@one.test', 'other@one.test');
        expect((await api.get(path('box', id)).expect(200)).body).to.include({ id });
        expect((await api.get(path('other', id)).expect(200)).body).to.include({ id: second });
        await api.get(`${path('other', id)}/raw`).expect(200);
        await api.get(path('third', id)).expect(404);
        await api.get(path('box', second)).expect(404);
      });

      it('204: removes the mail from this mailbox only', async () => {
        const [id, second, third] = await send(
          'box@one.test',
          'other+a@one.test',
          'other+b@one.test',
        );
        await api.delete(path('other', id)).expect(204);
        for (const gone of [id, second, third]) await api.get(path('other', gone)).expect(404);
        await api.get(path('box', id)).expect(200);
      });

      it('204: in the mailbox of the first recipient it deletes one message, also if repeated', async () => {
        const [id, second] = await send('box+a@one.test', 'box+b@one.test');
        await api.delete(path('box', id)).expect(204);
        await api.delete(path('box', id)).expect(204);
        await api.get(path('box', id)).expect(404);
        await api.get(path('box', second)).expect(200);
      });
    });
  });

  describe('in S3', () => {
    let s3: TestS3;

    beforeEach(async () => {
      s3 = await startS3();
      await reopen(s3.env);
    });
    afterEach(() => s3.remove());

    it('204: the blob store unavailable; the job deletes the blobs later', async () => {
      const [id] = await arrive(LARGE);
      await s3.kill();
      await api.delete(path('box', id)).expect(204);
      await whileDeletingBlobs(async () => {
        const queue = `${test.config.redisPrefix}:${deleteBlobs.name}:delayed`;
        await eventually(
          'a failed attempt',
          async () => (await test.context.redis.zcard(queue)) > 0,
        );
        await s3.start();
        await eventually('the blobs to go', async () => (await blobKeys()).length === 0);
      });
    });
  });
});
