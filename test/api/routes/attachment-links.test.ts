import { expect } from 'chai';
import express from 'express';
import supertest from 'supertest';
import { handleErrors } from '../../../api/http/errors.ts';
import { limitUnread } from '../../../api/http/unread.ts';
import { fileRoutes } from '../../../api/routes/files.ts';
import { generateKeyring } from '../../../core/secrets/keyring.ts';
import { deleteBlobs } from '../../../jobs/removal.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { asBytes, bytesOf } from '../../support/clients/bytes.ts';
import { withKeyring } from '../../support/context/with-parts.ts';
import { type TestS3, startS3 } from '../../support/servers/s3.ts';
import { service } from '../../support/service.ts';

const HOUR_MS = 3_600_000;
const LARGE = Buffer.alloc(1_048_577, 'large');
const EXACT = Buffer.alloc(1_048_576, 'exact');
const PUBLIC_URL = 'https://mail.example';

interface Shown {
  id: string;
  attachments: { id: string; size: number; url: string | null; signedUrl: string | null }[];
}

describe('attachment links', () => {
  const test = service({
    once: true,
    env: { PUBLIC_URL },
    mailboxes: ['box', 'listed', 'removed', 'other'],
  });
  const { deliver } = test;
  let { api }: { api: TestApi } = test;
  afterEach(() => ({ api } = test));

  const arrive = async (box = 'box'): Promise<Shown> => {
    const files = [LARGE, EXACT].map((bytes) => ({
      name: 'a.pdf',
      type: 'application/pdf',
      bytes,
    }));
    const path = `/api/mailboxes/${box}/messages/${await test.receive(box, attachmentMail(files))}`;
    return (await api.get(path).expect(200)).body as Shown;
  };
  /** Follows a link without a token, as a proxy behind the public URL forwards it. */
  const follow = (url: string) => {
    expect(url.startsWith(`${PUBLIC_URL}/attachments/`)).to.equal(true);
    return asBytes(supertest(api.app).get(url.slice(PUBLIC_URL.length)));
  };

  describe('to files on disk', () => {
    it('are equal in `url` and `signedUrl`, above 1 MiB only, in messages and lists', async () => {
      const shown = await arrive('listed');
      const listed = (await api.get('/api/mailboxes/listed/messages').expect(200)).body
        .messages as [Shown];
      for (const { attachments } of [shown, ...listed]) {
        const [large, exact] = attachments;
        expect(large!.size).to.equal(1_048_577);
        expect(large!.url).to.be.a('string').and.equal(large!.signedUrl);
        expect(exact).to.include({ size: 1_048_576, url: null, signedUrl: null });
      }
    });

    it('200: the bytes, without a token, for an hour; then 403', async () => {
      const url = (await arrive()).attachments[0]!.url!;
      const answer = await follow(url).expect(200);
      expect(bytesOf(answer).equals(LARGE)).to.equal(true);
      expect(answer.headers).to.include({
        'content-type': 'application/pdf',
        'content-disposition': 'attachment; filename=a.pdf',
        'content-length': '1048577',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': 'no-store',
      });
      test.advance(HOUR_MS - 60_000);
      await follow(url).expect(200);
      test.advance(60_000);
      const late = await follow(url).expect(403);
      expect(JSON.parse(String(bytesOf(late)))).to.include({ code: 'forbidden' });
    });

    it('200 to HEAD', async () => {
      const url = (await arrive()).attachments[0]!.url!;
      const answer = await supertest(api.app).head(url.slice(PUBLIC_URL.length)).expect(200);
      expect(answer.headers['content-length']).to.equal('1048577');
    });

    it('403: any part changed', async () => {
      const shown = await arrive();
      const second = await arrive();
      const url = shown.attachments[0]!.url!;
      const signature = /signature=(.*)$/.exec(url)![1]!;
      const last = signature.at(-1) === 'A' ? 'E' : 'A';
      for (const changed of [
        url.replace(shown.id, second.id),
        url.replace(shown.attachments[0]!.id, shown.attachments[1]!.id),
        url.replace(/expires=(\d+)/, (_all, time: string) => `expires=${Number(time) + 1}`),
        url.replace('expires=', 'expires=0'),
        url.replace(/expires=\d+/, 'expires=never'),
        url.replace(signature, `${signature.slice(0, -1)}${last}`),
        url.replace(signature, `${signature}A`),
        url.replace(signature, `${signature}=`),
        url.replace(signature, signature.slice(0, 20)),
        url.replace(signature, /signature=(.*)$/.exec(second.attachments[0]!.url!)![1]!),
      ]) {
        const answer = await follow(changed);
        expect(answer.status, changed).to.equal(403);
      }
    });

    it('403: the query of another link, without validation', async () => {
      const [shown, second] = [await arrive(), await arrive()];
      const link = new URL(shown.attachments[0]!.url!);
      const other = `/attachments/${second.id}/${second.attachments[0]!.id}`;
      const ids = `messageId=${shown.id}&attachmentId=${shown.attachments[0]!.id}`;
      const app = express()
        .use((_req, res, next) => {
          res.locals.headOnly = false;
          next();
        })
        .use(limitUnread(0))
        .use(fileRoutes(test.context))
        .use(handleErrors(test.context));
      await supertest(app)
        .get(link.pathname + link.search)
        .expect(200);
      await supertest(app).get(`${other}${link.search}&${ids}`).expect(403);
    });

    it('404: the message deleted, purged or not', async () => {
      const { id, attachments } = await arrive();
      await api.delete(`/api/mailboxes/box/messages/${id}`).expect(204);
      await follow(attachments[0]!.url!).expect(404);
    });

    it('404: the mailbox deleted, purged or not', async () => {
      const { attachments } = await arrive('removed');
      await api.delete('/api/mailboxes/removed').expect(204);
      await follow(attachments[0]!.url!).expect(404);
    });

    it('404: the message deleted from this mailbox and present in another', async () => {
      const raw = attachmentMail([{ name: 'a', bytes: LARGE }]);
      const mail = await deliver(['box', 'other'], raw);
      const show = async (box: string, index: number) =>
        (await api.get(`/api/mailboxes/${box}/messages/${mail.messages[index]!.id}`).expect(200))
          .body as Shown;
      const [mine, theirs] = [await show('box', 0), await show('other', 1)];
      await api.delete(`/api/mailboxes/box/messages/${mine.id}`).expect(204);
      await follow(mine.attachments[0]!.url!).expect(404);
      await follow(theirs.attachments[0]!.url!).expect(200);
    });
  });

  describe('with other settings', () => {
    it('404: the message expired, purged or not', async () => {
      await test.reopen({ MESSAGE_TTL_MS: '600000' });
      const { attachments } = await arrive();
      await follow(attachments[0]!.url!).expect(200);
      test.advance(600_000 + 1000);
      await follow(attachments[0]!.url!).expect(404);
    });

    it('survive a new key, and end with the key that signed them', async () => {
      const [first, second] = ['first', 'second'].map((id) =>
        generateKeyring().replace(/^[^:]*/, id),
      ) as [string, string];
      await test.reopen({ ENCRYPTION_KEYS: first });
      const url = (await arrive()).attachments[0]!.url!;
      const under = (keys: string) => ({
        ...test,
        context: withKeyring(test.context, keys),
      });
      api = openTestApi(under(`${second},${first}`));
      await follow(url).expect(200);
      api = openTestApi(under(second));
      await follow(url).expect(403);
    });
  });

  describe('to objects in S3', () => {
    let s3: TestS3;

    before(async () => {
      s3 = await startS3();
      await test.reopen(s3.env);
    });
    after(() => s3.remove());

    it('302: to the object, with safe headers; 403 after an hour', async () => {
      const url = (await arrive()).attachments[0]!.url!;
      const { headers } = await follow(url).expect(302);
      const served = await fetch(headers.location as string);
      expect(served.status).to.equal(200);
      expect(Buffer.from(await served.arrayBuffer()).equals(LARGE)).to.equal(true);
      expect(served.headers.get('content-type')).to.equal('application/pdf');
      expect(served.headers.get('content-disposition')).to.equal('attachment; filename=a.pdf');
      test.advance(HOUR_MS);
      await follow(url).expect(403);
    });

    it('200 to HEAD, because the link of the object is valid for GET only', async () => {
      const url = (await arrive()).attachments[0]!.url!;
      await supertest(api.app).head(url.slice(PUBLIC_URL.length)).expect(200);
    });

    it('404: the message deleted; and its object once its job has run', async () => {
      const { id, attachments } = await arrive();
      const { headers } = await follow(attachments[0]!.url!).expect(302);
      const { db } = test.context.store;
      const rows = await db.select().from(db.t.attachments);
      const row = rows.find((one) => one.id === attachments[0]!.id);
      await api.delete(`/api/mailboxes/box/messages/${id}`).expect(204);
      await follow(attachments[0]!.url!).expect(404);
      await deleteBlobs.run(
        test.context,
        { keys: [row!.blobKey ?? ''] },
        { jobId: '', start: 1, stalls: 0 },
      );
      expect((await fetch(headers.location as string)).status).to.equal(404);
    });

    it('503: the store unavailable, for routes that proxy the content', async () => {
      const { id, attachments } = await arrive();
      await s3.kill();
      const path = `/api/mailboxes/box/messages/${id}`;
      for (const file of [`${path}/attachments/${attachments[0]!.id}`, `${path}/raw`]) {
        const answer = await api.get(file).expect(503);
        expect(answer.body).to.include({ code: 'unavailable' });
        expect(answer.headers['retry-after']).to.match(/^\d+$/);
      }
      await api.get(`${path}/attachments/${attachments[1]!.id}`).expect(200);
      expect((await api.get('/readyz', null).expect(503)).body).to.include({
        blobStore: 'unavailable',
      });
      await s3.start();
      await api.get(`${path}/raw`).expect(200);
    });
  });
});
