import { expect } from 'chai';
import { deleteBlobsJob } from '../../../core/blobs/discard.ts';
import { ingestJob } from '../../../core/intake/ingest-job.ts';
import type { IntakeServices } from '../../../core/intake/intake.ts';
import { deleteBlobs } from '../../../jobs/removal.ts';
import { openTestIntake, receivedMail } from '../../support/context/accept-together.ts';
import { INGEST } from '../../support/context/ingest.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejection } from '../../support/mocha/rejection.ts';
import { service } from '../../support/service.ts';

const LARGE = Buffer.from(`Subject: large\r\n\r\n${'x'.repeat(1_100_000)}`);
const SMALL = Buffer.from('Subject: small\r\n\r\nx');

describe('mail that is answered with 451', () => {
  const test = service();

  const accept = async (raw: Buffer, parts: Partial<IntakeServices>) => {
    const { id } = await test.mailbox('box');
    const intake = openTestIntake(test.context, parts);
    return intake.add(receivedMail(id, raw.length), [raw], () => false);
  };
  const jobs = async (job: { name: string }, state: 'waiting' | 'delayed') =>
    (await test.context.queues.open(job)).getJobs([state]);
  const replication = (reached: () => Promise<void>) => ({
    replication: { isRequired: true, reached, close: async () => undefined },
  });
  const blobs = async () => {
    const keys: string[] = [];
    const later = Date.now() + 60_000;
    for await (const page of test.context.blobs.olderThan('raw', later)) keys.push(...page);
    return keys;
  };
  /** Runs the check of the refused blob, which is delayed. */
  const checkBlob = async () => {
    await eventually('the check', async () => (await jobs(deleteBlobsJob, 'delayed')).length === 1);
    const [check] = await jobs(deleteBlobsJob, 'delayed');
    await check!.promote();
    await test.work(deleteBlobs);
  };

  it('for want of a replica is never stored', async () => {
    let runnable = -1;
    const refuse = async () => {
      runnable = (await jobs(ingestJob, 'waiting')).length;
      throw new Error('0 of 1 Redis replicas have the mail');
    };
    for (const raw of [SMALL, LARGE]) {
      await rejection(accept(raw, replication(refuse)));
      expect(runnable).to.equal(0);
      await eventually('its job to be removed', async () => {
        return (await jobs(ingestJob, 'delayed')).length === 0;
      });
      await test.work(...INGEST);
      expect(await test.messages('box')).to.deep.equal([]);
      await test.api.delete('/api/mailboxes/box').expect(204);
    }
    await checkBlob();
    expect(await blobs()).to.deep.equal([]);
  });

  it('is stored at once when the replicas have it', async () => {
    await accept(
      SMALL,
      replication(async () => undefined),
    );
    expect(await jobs(ingestJob, 'delayed')).to.have.length(0);
    await test.work(...INGEST);
    expect(await test.messages('box')).to.have.length(1);
  });

  it('is stored if its process dies before it releases the job', async () => {
    void accept(
      SMALL,
      replication(() => new Promise(() => undefined)),
    );
    await eventually('the job', async () => (await jobs(ingestJob, 'delayed')).length === 1);
    const [job] = await jobs(ingestJob, 'delayed');
    expect(job!.delay).to.be.within(21_000, 60_000);
  });

  it('and stored all the same keeps its blob', async () => {
    const { queues } = test.context;
    const loseReply = async (...args: Parameters<typeof queues.enqueue>) => {
      await queues.enqueue(...args);
      await test.work(...INGEST);
      throw new Error('the reply is lost');
    };
    const parts = { queues: { ...queues, enqueue: loseReply as typeof queues.enqueue } };
    await rejection(accept(LARGE, parts));
    await checkBlob();
    const { id } = await test.newest('box');
    const raw = await test.api.get(`/api/mailboxes/box/messages/${id}/raw`).expect(200);
    expect(raw.text).to.have.length(LARGE.length);
    expect(await blobs()).to.have.length(1);
  });
});
