import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { expect } from 'chai';
import { type BlobStore, readBlob } from '../../../core/blobs/blob-store.ts';
import { openS3Blobs } from '../../../core/blobs/s3.ts';
import { downloadHeaders } from '../../../core/blobs/download-headers.ts';
import { AppError, errorText } from '../../../core/errors.ts';
import { rejection, rejectionCodes } from '../../support/mocha/rejection.ts';
import { resolveLocally } from '../../support/servers/resolve-locally.ts';
import { type TestS3, startS3 } from '../../support/servers/s3.ts';
import { blobSuite } from './blob-suite.ts';

const HEADERS = downloadHeaders({ filename: 'Bill "42".pdf', contentType: 'application/pdf' });

describe('blobs in S3', () => {
  describe('with buckets in the path', () => {
    let s3: TestS3;
    before(async () => {
      s3 = await startS3();
    });
    after(() => s3.remove());

    blobSuite(async (pageSize) => ({
      blobs: openS3Blobs(await s3.newBucket(), pageSize),
      remove: async () => undefined, // removed with the server
    }));
  });

  describe('with buckets in the host name', () => {
    let s3: TestS3;
    let restore: () => void;
    before(async () => {
      restore = resolveLocally('blobs.test');
      s3 = await startS3({ host: 's3.blobs.test', forcePathStyle: false });
    });
    after(async () => {
      await s3.remove();
      restore();
    });

    blobSuite(async (pageSize) => ({
      blobs: openS3Blobs(await s3.newBucket(), pageSize),
      remove: async () => undefined, // removed with the server
    }));
  });

  describe('behind signatures', () => {
    let s3: TestS3;
    let blobs: BlobStore;
    let ahead = 0;

    before(async () => {
      s3 = await startS3({ now: () => Date.now() + ahead });
      blobs = openS3Blobs(s3.config);
      await blobs.put('attachments/day/att_1', [Buffer.from('hel'), Buffer.from('lo')]);
    });
    after(async () => {
      await blobs.close();
      await s3.remove();
    });
    const link = (seconds = 60) => blobs.link!('attachments/day/att_1', HEADERS, seconds);

    it('are stored and read', async () => {
      expect(String(await readBlob(blobs, 'attachments/day/att_1'))).to.equal('hello');
      expect(await blobs.get('attachments/day/none')).to.equal(null);
    });

    it('are not files', () => {
      expect(blobs.file).to.equal(null);
    });

    it('have links with the requested headers, valid only with their signature', async () => {
      const url = await link();
      const answer = await fetch(url);
      expect(answer.status).to.equal(200);
      expect(await answer.text()).to.equal('hello');
      expect(answer.headers.get('content-type')).to.equal('application/pdf');
      expect(answer.headers.get('content-disposition')).to.equal(HEADERS.contentDisposition);
      for (const other of [
        url.replace('att_1', 'att_2'),
        url.replace('Expires=60', 'Expires=61'),
      ]) {
        expect((await fetch(other)).status, other).to.equal(403);
      }
    });

    it('have links that expire', async () => {
      const url = await link(60);
      ahead = 61_000;
      expect((await fetch(url)).status).to.equal(403);
      ahead = 0;
    });

    it('are unavailable with a wrong secret, which does not appear in the error', async () => {
      const credentials = { ...s3.config.credentials!, secretAccessKey: 'not-the-secret' };
      const stranger = openS3Blobs({ ...s3.config, credentials });
      const error = await rejection(stranger.put('a', Buffer.from('x')));
      expect(error).to.be.instanceOf(AppError).with.property('code', 'unavailable');
      expect(JSON.stringify(error)).to.not.contain('not-the-secret');
      await stranger.close();
    });
  });

  describe('of a store as real ones are', () => {
    let s3: TestS3;
    let blobs: BlobStore;
    beforeEach(async () => {
      s3 = await startS3();
      blobs = openS3Blobs(s3.config);
    });
    afterEach(async () => {
      await blobs.close();
      await s3.remove();
    });

    const errorXml = (code: string, more = '') =>
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Because.</Message>${more}</Error>`;
    const answering =
      (status: number, body: string, headers: Record<string, string> = {}) =>
      (): RequestListener =>
      (req, res) => {
        req.resume();
        req.on('end', () => res.writeHead(status, headers).end(req.method === 'HEAD' ? '' : body));
      };

    it('does not ask whether it may send the body (Expect: 100-continue)', async () => {
      const expected: unknown[] = [];
      const note =
        (serve: RequestListener): RequestListener =>
        (req, res) => {
          expected.push(req.headers.expect);
          serve(req, res);
        };
      await s3.misbehave(note, () => blobs.put('large', Buffer.alloc(3_000_000)));
      expect(new Set(expected)).to.deep.equal(new Set([undefined]));
    });

    it('verifies and reads objects whose length the responses leave out', async () => {
      const withoutLength =
        (serve: RequestListener): RequestListener =>
        (req, res) => {
          if (req.method === 'HEAD') {
            res.writeHead(200, { ETag: '"x"', 'Transfer-Encoding': 'chunked' }).end();
            return;
          }
          const writeHead = res.writeHead.bind(res);
          res.writeHead = ((status: number, headers?: OutgoingHttpHeaders) => {
            if (req.method === 'GET') res.removeHeader('Content-Length');
            const { 'Content-Length': _length, ...others } = headers ?? {};
            return writeHead(status, req.method === 'GET' ? others : headers);
          }) as typeof res.writeHead;
          serve(req, res);
        };
      await s3.misbehave(withoutLength, async () => {
        await blobs.put('key', Buffer.from('hello'));
        const blob = await blobs.get('key');
        expect(blob!.size).to.equal(5);
        blob!.stream.destroy();
      });
    });

    for (const [status, code, more, said] of [
      [403, 'SignatureDoesNotMatch', '', ''],
      [403, 'RequestTimeTooSkewed', '', ''],
      [404, 'NoSuchBucket', '', ''],
      [301, 'PermanentRedirect', '<Region>eu-west-1</Region>', 'The bucket is in eu-west-1'],
      [503, 'SlowDown', '', ''],
    ] as const) {
      it(`says the cause of ${status} ${code}`, async () => {
        await s3.misbehave(answering(status, errorXml(code, more)), async () => {
          const list = async () => {
            for await (const page of blobs.olderThan('raw', 0)) expect(page).to.have.length(0);
          };
          const asked: (() => Promise<unknown>)[] = [
            () => blobs.put('a', Buffer.from('x')),
            () => blobs.get('a'),
            () => blobs.delete('a'),
            () => blobs.check(),
            list,
          ];
          for (const ask of asked) {
            const error = (await rejection(ask())) as AppError;
            const text = errorText(error);
            for (const part of [
              `${status}`,
              code,
              'bucket mayfly-test',
              s3.config.endpoint!,
              said,
            ]) {
              expect(text).to.contain(part);
            }
            expect(error.message, 'for clients').to.not.contain('mayfly-test');
            expect(error.cause).to.have.property('isPermanent', status !== 503);
          }
        });
      });
    }

    it('says the cause of a page of a proxy, and of a closed port', async () => {
      await s3.misbehave(answering(502, '<html><h1>Bad Gateway</h1></html>'), async () => {
        expect(errorText(await rejection(blobs.check()))).to.match(/S3 answered 502 .*mayfly-test/);
      });
      await s3.kill();
      expect(errorText(await rejection(blobs.check()))).to.match(
        /S3 does not answer: .*ECONNREFUSED/,
      );
    });
  });

  it('are unavailable while the server is down, and available after', async () => {
    const s3 = await startS3();
    const blobs = openS3Blobs(s3.config);
    await blobs.put('kept', Buffer.from('x'));
    await s3.kill();
    const list = async () => {
      for await (const page of blobs.olderThan('raw', 0)) expect(page).to.have.length(0);
    };
    const codes = await rejectionCodes([
      () => blobs.put('a', Buffer.from('x')),
      () => blobs.get('kept'),
      () => blobs.delete('kept'),
      () => blobs.check(),
      list,
    ]);
    expect(codes).to.deep.equal(Array(5).fill('unavailable'));
    await s3.start();
    expect(String(await readBlob(blobs, 'kept'))).to.equal('x');
    await blobs.close();
    await s3.remove();
  });

  it('are unavailable without their bucket', async () => {
    const s3 = await startS3();
    const blobs = openS3Blobs({ ...s3.config, bucket: 'no-such-bucket' });
    const codes = await rejectionCodes([
      () => blobs.put('a', Buffer.from('x')),
      () => blobs.get('a'),
      () => blobs.check(),
    ]);
    expect(codes).to.deep.equal(Array(3).fill('unavailable'));
    await blobs.close();
    await s3.remove();
  });
});
