import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { deleteBlobsJob } from '../../core/blobs/discard.ts';
import { startWorker, stopWorker } from '../../core/queue/worker.ts';
import { openBlockingRedis } from '../../core/redis/client.ts';
import { deleteBlobs } from '../../jobs/removal.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { service } from '../support/service.ts';

/** A few pauses of the worker. */
const OBSERVED_MS = 2500;

describe('a worker of a Redis without free memory', () => {
  const test = service();

  it('pauses between its attempts, and takes jobs again', async () => {
    const { context, config } = test;
    const { redis, queues, log } = context;
    await queues.enqueue(deleteBlobsJob, { keys: [] }, 'blb_1');
    await redis.config('SET', 'maxmemory', '1');
    const connection = openBlockingRedis(config, log);
    const worker = startWorker(context, connection, deleteBlobs);
    let errors = 0;
    worker.on('error', () => (errors += 1));
    try {
      await delay(OBSERVED_MS);
      expect(errors).to.be.within(1, 5);
      await redis.config('SET', 'maxmemory', '0');
      await eventually(
        'the job to be done',
        async () => !(await queues.has(deleteBlobsJob, 'blb_1')),
      );
    } finally {
      await redis.config('SET', 'maxmemory', '0');
      await stopWorker(worker, 5000, log);
      connection.disconnect();
    }
  });
});
