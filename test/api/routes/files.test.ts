import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../core/root.ts';
import { attachmentMail } from '../../support/mail/attachment-mail.ts';
import { asBytes, bytesOf } from '../../support/clients/bytes.ts';
import { service } from '../../support/service.ts';

const LARGE = Buffer.alloc(1_048_577, 'large');
const EXACT = Buffer.alloc(1_048_576, 'exact');

describe('files over HTTP', () => {
  const test = service({ once: true, mailboxes: ['box'] });
  const { api, receive } = test;

  const arrive = async (raw: Buffer | string) => {
    const id = await receive('box', raw);
    const path = `/api/mailboxes/box/messages/${id}`;
    const { body } = await api.get(path).expect(200);
    const attachments = body.attachments as { id: string; filename: string; contentType: string }[];
    return {
      path,
      id,
      attachments,
      files: attachments.map((file) => `${path}/attachments/${file.id}`),
    };
  };
  const isSafe = (headers: Record<string, string>) => {
    expect(headers).to.include({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store',
    });
    expect(headers['content-disposition']).to.match(/^attachment; filename=/);
  };

  describe('GET /api/mailboxes/:name/messages/:id/attachments/:attachmentId', () => {
    it('200: the bytes, from the database or the blob store', async () => {
      const mail = await arrive(
        attachmentMail([
          { name: 'large.bin', bytes: LARGE },
          { name: 'exact.bin', bytes: EXACT },
          { name: 'empty.txt', type: 'text/plain', bytes: Buffer.alloc(0) },
        ]),
      );
      for (const [index, bytes] of [LARGE, EXACT, Buffer.alloc(0)].entries()) {
        const answer = await asBytes(api.get(mail.files[index]!)).expect(200);
        expect(bytesOf(answer).equals(bytes), `file ${index}`).to.equal(true);
        expect(answer.headers['content-length']).to.equal(String(bytes.length));
        isSafe(answer.headers);
      }
    });

    it('200: with a content type that browsers do not execute', async () => {
      const types = {
        'text/html': 'application/octet-stream',
        'image/svg+xml': 'application/octet-stream',
        'text/xml': 'application/octet-stream',
        'text/javascript': 'application/octet-stream',
        'x-unknown/type': 'application/octet-stream',
        'image/png': 'image/png',
        'APPLICATION/PDF': 'application/pdf',
        'text/plain': 'text/plain',
      };
      const names = Object.keys(types);
      const mail = await arrive(
        attachmentMail(names.map((type) => ({ name: 'f', type, bytes: Buffer.from('<b>') }))),
      );
      const served = await Promise.all(mail.files.map((path) => api.get(path).expect(200)));
      expect(served.map(({ headers }) => headers['content-type'] as string)).to.deep.equal(
        Object.values(types),
      );
    });

    it('200: with a safe file name', async () => {
      const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
      const { files } = await arrive(raw);
      const { headers } = await api.get(files[1]!).expect(200);
      expect(headers['content-disposition']).to.equal(
        `attachment; filename="Rechnung ? 42.pdf"; filename*=UTF-8''Rechnung%20%E2%84%96%2042.pdf`,
      );
    });

    it('200 to HEAD, without reading the bytes', async () => {
      const { files } = await arrive(attachmentMail([{ name: 'large.bin', bytes: LARGE }]));
      const answer = await api.head(files[0]!).expect(200);
      expect(answer.headers['content-length']).to.equal('1048577');
      isSafe(answer.headers);
    });

    it('404: of another message, deleted, expired', async () => {
      const mail = await arrive(attachmentMail([{ bytes: Buffer.from('x') }]));
      const second = await arrive(attachmentMail([{ bytes: Buffer.from('y') }]));
      const path = mail.files[0]!;
      await api.get(`${mail.path}/attachments/${second.attachments[0]!.id}`).expect(404);
      await api.delete(second.path).expect(204);
      await api.get(second.files[0]!).expect(404);
      await api.head(second.files[0]!).expect(404);
      await api.get(path).expect(200);
      test.advance(86_400_000 + 1000);
      await api.get(path).expect(404);
    });

    it('404: its bytes deleted meanwhile', async () => {
      const { files, attachments } = await arrive(
        attachmentMail([{ name: 'large', bytes: LARGE }]),
      );
      const { db } = test.context.store;
      const rows = await db.select().from(db.t.attachments);
      const row = rows.find(({ id }) => id === attachments[0]!.id);
      await test.context.blobs.delete(row!.blobKey!);
      const answer = await api.get(files[0]!).expect(404);
      expect(answer.headers).to.not.have.property('content-disposition');
    });

    it('survives a client that disconnects during the download', async () => {
      const { files } = await arrive(attachmentMail([{ bytes: Buffer.alloc(8_000_000) }]));
      const server = api.app.listen(0);
      const { port } = server.address() as { port: number };
      const answer = await fetch(`http://127.0.0.1:${port}${files[0]!}`, {
        headers: { Authorization: `Bearer ${test.workspace.token}` },
      });
      await answer.body!.cancel();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api.get(files[0]!).expect(200);
    });
  });

  describe('GET /api/mailboxes/:name/messages/:id/raw', () => {
    it('200: the unchanged mail, small or large, with any bytes', async () => {
      const order = await readFile(join(ROOT, 'test/mail/order.eml'));
      const latin1 = Buffer.from('Subject: gr\xfc\xdfe\r\n\r\n\x00\xff\r\n', 'latin1');
      const large = Buffer.from(`Subject: x\r\n\r\n${'x'.repeat(1_100_000)}`);
      for (const raw of [order, latin1, large]) {
        const { path } = await arrive(raw);
        const answer = await asBytes(api.get(`${path}/raw`)).expect(200);
        expect(bytesOf(answer).equals(raw)).to.equal(true);
        isSafe(answer.headers);
        expect(answer.headers).to.include({
          'content-type': 'message/rfc822',
          'content-length': String(raw.length),
        });
      }
    });

    it('200: named after its subject, or after the id of its message', async () => {
      const nameOf = async (subject: string) => {
        const { path, id } = await arrive(`Subject: ${subject}\r\n\r\nx`);
        const { headers } = await api.get(`${path}/raw`).expect(200);
        return (headers['content-disposition'] as string).replace(id, 'ID');
      };
      expect(await nameOf('Your order')).to.equal('attachment; filename="Your order.eml"');
      expect(await nameOf('=?utf-8?Q?Gr=C3=BC=C3=9Fe=0D=0AX:_../a?=')).to.equal(
        `attachment; filename="Gr??e X .. a.eml"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20X%20..%20a.eml`,
      );
      expect(await nameOf('')).to.equal('attachment; filename=ID.eml');
    });

    it('200 to HEAD', async () => {
      const { path } = await arrive('Subject: x\r\n\r\nx');
      const answer = await api.head(`${path}/raw`).expect(200);
      expect(answer.headers['content-length']).to.equal('15');
    });

    it('404: deleted, expired', async () => {
      const { path } = await arrive('Subject: x\r\n\r\nx');
      const second = await arrive('Subject: y\r\n\r\ny');
      await api.delete(second.path).expect(204);
      await api.get(`${second.path}/raw`).expect(404);
      test.advance(86_400_000 + 1000);
      await api.get(`${path}/raw`).expect(404);
    });
  });
});
