import { Queue } from 'bullmq';
import type { RedisClient } from '../../../core/redis/client.ts';
import { ingestJobs } from '../../../core/intake/ingest-job.ts';
import { eventually } from '../../support/mocha/eventually.ts';

const PREFIX = '{mayfly}';
/** Time in which the queue must become shorter. */
const STUCK_MS = 120_000;
const WITHIN_MS = 1_200_000;
const POLL_MS = 200;

/**
 * Resolves when the ingest queues are empty, however long they are.
 * @throws if they have not become shorter for two minutes, or if an ingest job has failed.
 */
export async function untilIngested({ redis }: { redis: RedisClient }): Promise<void> {
  const queues = ingestJobs.map(({ name }) => {
    const queue = new Queue(name, { connection: redis, prefix: PREFIX });
    return queue.on('error', () => undefined); // Redis can still be restarting
  });
  let shortest = Infinity;
  let since = Date.now();
  try {
    await eventually(
      'the ingest queues to be empty',
      async () => {
        let jobs = 0;
        for (const queue of queues) {
          jobs += await queue.getJobCountByTypes('waiting', 'active', 'delayed', 'prioritized');
        }
        if (jobs < shortest) [shortest, since] = [jobs, Date.now()];
        if (Date.now() - since > STUCK_MS) throw new Error(`${jobs} ingest jobs are stuck`);
        return jobs === 0;
      },
      WITHIN_MS,
      POLL_MS,
    );
    const failed = (await Promise.all(queues.map((queue) => queue.getFailed()))).flat();
    if (failed.length > 0) throw new Error(`mail was given up: ${failed[0]?.failedReason ?? ''}`);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}
