import { Queue } from 'bullmq';
import type { RedisClient } from '../../../core/redis/client.js';
import { ingestMessage } from '../../../jobs/ingest-message.js';
import { eventually } from '../../support/mocha/eventually.js';

const PREFIX = '{mayfly}';
const WITHIN_MS = 120_000;
const POLL_MS = 200;

/** Resolves when the ingest queue is empty. @throws if an ingest job has failed. */
export async function untilIngested({ redis }: { redis: RedisClient }): Promise<void> {
  const queue = new Queue(ingestMessage.name, { connection: redis, prefix: PREFIX });
  queue.on('error', () => undefined); // Redis can still be restarting
  try {
    await eventually(
      'the ingest queue to be empty',
      async () => {
        const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
        return Object.values(counts).every((count) => count === 0);
      },
      WITHIN_MS,
      POLL_MS,
    );
    const failed = await queue.getFailed();
    if (failed.length > 0) throw new Error(`mail was given up: ${failed[0]?.failedReason ?? ''}`);
  } finally {
    await queue.close();
  }
}
