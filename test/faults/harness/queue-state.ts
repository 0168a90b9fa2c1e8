import { Queue } from 'bullmq';
import type { RedisClient } from '../../../core/redis/client.js';
import { ingestMessage } from '../../../jobs/ingest-message.js';
import { eventually } from '../../support/mocha/eventually.js';

const PREFIX = '{mayfly}';
const WITHIN_MS = 120_000;
const POLL_MS = 200;

/** Resolves when no accepted mail is on its way to the database any more. @throws when one was given up. */
export async function untilIngested({ redis }: { redis: RedisClient }): Promise<void> {
  const queue = new Queue(ingestMessage.name, { connection: redis, prefix: PREFIX });
  queue.on('error', () => undefined); // the bench's Redis may still be coming back
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
