import { expect } from 'chai';
import { ulid } from 'ulid';
import { attachmentBlobKey, rawBlobKey } from '../../core/blobs/keys.ts';
import { ingestMessage } from '../../jobs/ingest.ts';
import { ingestNow } from '../support/context/ingest.ts';
import { sweepBlobs } from '../../jobs/scheduled.ts';
import { acceptMail } from '../support/context/accept.ts';
import { attachmentMail } from '../support/mail/attachment-mail.ts';
import { service } from '../support/service.ts';
import { type TestS3, startS3 } from '../support/servers/s3.ts';
import { storedBlobs } from '../support/context/stored-blobs.ts';

const HOUR_MS = 3_600_000;
const LARGE = attachmentMail([{ name: 'a', bytes: Buffer.alloc(1_048_577, 'large') }]);
/** Longer than the age at which the sweep acts, to separate the effect of rows and age. */
const TTL = { MESSAGE_TTL_MS: String(30 * 24 * HOUR_MS) };

function sweepSuite(startStore: () => Promise<TestS3 | null>): void {
  let s3: TestS3 | null;
  beforeEach(async () => {
    s3 = await startStore();
  });
  const test = service({ env: () => ({ ...TTL, ...s3?.env }), mailboxes: ['box'] });
  afterEach(() => s3?.remove());

  const sweep = () => test.run(sweepBlobs);
  const stored = () => storedBlobs(test.context);
  /** An id for a given time; those of `newId` only increase. */
  const idAt = (prefix: string, time: number) => `${prefix}_${ulid(time).toLowerCase()}`;
  const put = async (...keys: string[]) => {
    for (const key of keys) await test.context.blobs.put(key, Buffer.from('x'));
  };

  it('deletes unreferenced blobs older than 48 hours only', async () => {
    const now = test.context.now();
    await put(rawBlobKey(idAt('ing', now)), attachmentBlobKey(`${idAt('att', now)}_0`, now));
    test.advance(47 * HOUR_MS);
    await sweep();
    expect(await stored()).to.have.length(2);
    test.advance(2 * HOUR_MS);
    await sweep();
    expect(await stored()).to.deep.equal([]);
  });

  it('keeps blobs that rows refer to', async () => {
    await test.receive('box', LARGE);
    test.advance(100 * HOUR_MS);
    await sweep();
    expect(await stored()).to.have.length(2);
  });

  it('keeps blobs that accepted mail waits for, including attachments', async () => {
    const mail = await acceptMail(test.context, ['box@one.test'], LARGE);
    const attachment = `${mail.mailId.replace('mal', 'att')}_0`;
    await put(attachmentBlobKey(attachment, mail.receivedAt)); // by a run that went no further
    test.advance(100 * HOUR_MS);
    await sweep();
    expect(await stored()).to.have.length(2);
    await ingestNow(test.context, mail);
    await sweep();
    expect(await stored()).to.have.length(2);
  });

  it('keeps the raw blob of a job whose mail no longer counts as waiting', async () => {
    const mail = await acceptMail(test.context, ['box@one.test'], LARGE);
    await test.context.queues.enqueue(ingestMessage, mail, mail.ingestId);
    await test.context.mailSpool.ack([{ ingestId: mail.ingestId }]);
    test.advance(100 * HOUR_MS);
    await sweep();
    expect(await stored()).to.have.length(1);
  });

  it('keeps the raw blob of a mail that is stored while the sweep looks for its job', async () => {
    test.advance(100 * HOUR_MS); // the blob store keeps another time than the id
    const mail = await acceptMail(test.context, ['box@one.test'], LARGE);
    const { queues } = test.context;
    const has: typeof queues.has = async () => {
      await ingestNow(test.context, mail);
      return false;
    };
    const run = { jobId: '', start: 1, stalls: 0 };
    await sweepBlobs.run({ ...test.context, queues: { ...queues, has } }, {}, run);
    expect((await stored()).filter((key) => key.startsWith('raw/'))).to.have.length(1);
  });

  it('ignores keys of another form', async () => {
    await put('raw/theirs', 'attachments/2026-01-01/theirs', 'elsewhere/x');
    test.advance(100 * HOUR_MS);
    await sweep();
    expect(await stored()).to.have.members(['raw/theirs', 'attachments/2026-01-01/theirs']);
  });

  it('deletes blobs whose deletion job was never queued', async () => {
    const id = await test.receive('box', LARGE);
    await test.api.delete(`/api/mailboxes/box/messages/${id}`).expect(204);
    await test.context.redis.flushall();
    test.advance(49 * HOUR_MS);
    await sweep();
    expect(await stored()).to.deep.equal([]);
  });
}

describe('the blob sweep on disk', () => {
  sweepSuite(async () => null);
});

describe('the blob sweep in S3', () => {
  sweepSuite(() => startS3());
});
