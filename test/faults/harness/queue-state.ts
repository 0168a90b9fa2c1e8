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
        const counts: string[] = [];
        let jobs = 0;
        for (const queue of queues) {
          for (const state of ['waiting', 'active', 'delayed', 'prioritized'] as const) {
            const count = await queue.getJobCountByTypes(state);
            if (count > 0) counts.push(`${count} ${state} in ${queue.name}`);
            jobs += count;
          }
        }
        if (jobs < shortest) [shortest, since] = [jobs, Date.now()];
        if (Date.now() - since > STUCK_MS) throw new Error(`jobs are stuck: ${counts.join(', ')}`);
        return jobs === 0;
      },
      WITHIN_MS,
      POLL_MS,
    );
    const jobs = (await Promise.all(queues.map((queue) => queue.getFailed()))).flat();
    // A failover loses raw bytes whose job is sent again to the new master: that mail is lost.
    const failed = jobs.filter(({ failedReason }) => failedReason !== 'raw_missing');
    if (failed.length > 0) throw new Error(`mail was given up: ${failed[0]?.failedReason ?? ''}`);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}
