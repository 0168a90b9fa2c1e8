import { Queue } from 'bullmq';
import type { Context } from '../../core/context.js';
import { closeRedis, openPatientRedis } from '../../core/redis.js';
import { startWorker, stopWorker } from '../../jobs/start-worker.js';
import type { AnyJob } from '../../jobs/job.js';
import type { TestContext } from './context.js';

/** Works on these queues, as the worker process does, while `during` goes on. */
export async function whileWorking(
  { context, config }: Pick<TestContext, 'context' | 'config'>,
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

/** Works on a queue, and then ends as a crash does: what was being worked on stays as it is. */
export async function whileDying(
  { context, config }: Pick<TestContext, 'context' | 'config'>,
  job: AnyJob,
  during: () => Promise<unknown>,
): Promise<void> {
  const connection = openPatientRedis(config, context.log);
  const worker = startWorker(context, connection, job);
  try {
    await during();
  } finally {
    await worker.close(true);
    await closeRedis(connection);
  }
}

/** The same job, taken over as soon as the lock of a dead worker has gone. */
export function withQuickTakeover<Job extends AnyJob>(job: Job): Job {
  return { ...job, worker: { ...job.worker, stalledInterval: 100 } };
}

/** The job's queue, to look into and to meddle with. */
export function queueOf({ redis, config }: Context, job: AnyJob): Queue {
  return new Queue(job.name, { connection: redis, prefix: config.redisPrefix });
}
