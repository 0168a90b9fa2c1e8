import { expect } from 'chai';
import { readBlob } from '../../../core/blobs/blob-store.ts';
import { openS3Blobs } from '../../../core/blobs/s3.ts';
import { type TestS3, startS3 } from '../../support/servers/s3.ts';
import { smtp } from '../../support/process/smtp-front.ts';

const SMALL = Buffer.from('Subject: small\r\n\r\nx\r\n');
const LARGE = Buffer.from(`Subject: large\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(20_000)}`);

describe('large mail with blobs in S3', () => {
  let s3: TestS3;
  beforeEach(async () => {
    s3 = await startS3();
  });
  const front = smtp({ env: () => s3.env, each: true });
  const { send } = front;
  afterEach(() => s3.remove());

  it('is in the bucket before the 250', async () => {
    const { raw } = await front.job(await send(LARGE));
    const blobs = openS3Blobs(s3.config);
    const stored = raw.in === 'blob' ? await readBlob(blobs, raw.key) : null;
    expect(stored?.subarray(-LARGE.length).equals(LARGE)).to.equal(true);
    await blobs.close();
  });

  it('gets 451 while the store is unavailable, and small mail is accepted', async () => {
    await s3.kill();
    expect((await send(LARGE)).code).to.equal(451);
    expect((await send(SMALL)).code).to.equal(250);
    await s3.start();
    expect((await send(LARGE)).code).to.equal(250);
    expect(front.process.stderr()).to.equal('');
  });
});
