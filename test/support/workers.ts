import { closeRedis, openPatientRedis } from '../../core/redis.js';
import { startWorker, stopWorker } from '../../jobs/start-worker.js';
import type { AnyJob } from '../../jobs/job.js';
import type { TestContext } from './context.js';

/** Works on these queues, as the worker process does, while `during` goes on. */
export async function whileWorking(
  { context, config }: TestContext,
  jobs: AnyJob[],
  during: () => Promise<unknown>,
): Promise<void> {
  const connection = openPatientRedis(config, context.log);
  const workers = jobs.map((job) => startWorker(context, connection, job));
  try {
    await during();
  } finally {
    await Promise.all(workers.map((worker) => stopWorker(worker, 5000)));
    await closeRedis(connection);
  }
}
