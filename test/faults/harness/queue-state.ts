import { Queue } from 'bullmq';
import type { RedisClient } from '../../../core/redis/client.ts';
import { ingestMessage } from '../../../jobs/ingest-message.ts';
import { eventually } from '../../support/mocha/eventually.ts';

const PREFIX = '{mayfly}';
/** Time in which the queue must become shorter. */
const STUCK_MS = 120_000;
const WITHIN_MS = 1_200_000;
const POLL_MS = 200;

/**
 * Resolves when the ingest queue is empty, however long it is.
 * @throws if it has not become shorter for two minutes, or if an ingest job has failed.
 */
export async function untilIngested({ redis }: { redis: RedisClient }): Promise<void> {
  const queue = new Queue(ingestMessage.name, { connection: redis, prefix: PREFIX });
  queue.on('error', () => undefined); // Redis can still be restarting
  let shortest = Infinity;
  let since = Date.now();
  try {
    await eventually(
      'the ingest queue to be empty',
      async () => {
        const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
        const jobs = Object.values(counts).reduce((sum, count) => sum + count, 0);
        if (jobs < shortest) [shortest, since] = [jobs, Date.now()];
        if (Date.now() - since > STUCK_MS) throw new Error(`${jobs} ingest jobs are stuck`);
        return jobs === 0;
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
