import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type BlobStore, readBlob } from '../../../core/blobs/blob-store.ts';
import { openS3Blobs } from '../../../core/blobs/s3.ts';
import { downloadHeaders } from '../../../core/blobs/download-headers.ts';
import { AppError } from '../../../core/errors.ts';
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

    before(async () => {
      s3 = await startS3({ checksSignatures: true });
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
      const url = await link(1);
      await delay(2100);
      expect((await fetch(url)).status).to.equal(403);
    });

    it('are unavailable with a wrong secret, which does not appear in the error', async () => {
      const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'not-the-secret' };
      const stranger = openS3Blobs({ ...s3.config, credentials });
      const error = await rejection(stranger.put('a', Buffer.from('x')));
      expect(error).to.be.instanceOf(AppError).with.property('code', 'unavailable');
      expect(JSON.stringify(error)).to.not.contain('not-the-secret');
      await stranger.close();
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
