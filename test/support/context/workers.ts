import { Queue } from 'bullmq';
import type { Context } from '../../../core/context.ts';
import { closeRedis, openBlockingRedis } from '../../../core/redis/client.ts';
import { startWorker, stopWorker } from '../../../core/queue/worker.ts';
import type { AnyJob } from '../../../core/queue/job.ts';
import type { TestContext } from './context.ts';
import { eventually } from '../mocha/eventually.ts';

/** Processes these queues, as the worker process does, until `during` resolves. */
export async function whileWorking(
  { context, config }: Pick<TestContext, 'context' | 'config'>,
  jobs: AnyJob[],
  during: () => Promise<unknown>,
): Promise<void> {
  const connection = openBlockingRedis(config, context.log);
  const workers = jobs.map((job) => startWorker(context, connection, job));
  try {
    await during();
  } finally {
    await Promise.all(workers.map((worker) => stopWorker(worker, 5000, context.log)));
    await closeRedis(connection);
  }
}

/** Processes a queue until it is empty. */
export async function workOff(
  test: Pick<TestContext, 'context' | 'config'>,
  job: AnyJob,
): Promise<void> {
  const queue = queueOf(test.context, job);
  try {
    await whileWorking(test, [job], () =>
      eventually(`an empty queue ${job.name}`, async () => {
        const counts = await queue.getJobCountByTypes(
          ...(['waiting', 'active', 'delayed', 'prioritized', 'failed'] as const),
        );
        return counts === 0;
      }),
    );
  } finally {
    await queue.close();
  }
}

/** Processes a queue, then ends like a crash: active jobs stay active. */
export async function whileDying(
  { context, config }: Pick<TestContext, 'context' | 'config'>,
  job: AnyJob,
  during: () => Promise<unknown>,
): Promise<void> {
  const connection = openBlockingRedis(config, context.log);
  const worker = startWorker(context, connection, job);
  try {
    await during();
  } finally {
    await worker.close(true);
    await closeRedis(connection);
  }
}

/** The same job, taken over as soon as the lock of a dead worker expires. */
export function withQuickTakeover<Job extends AnyJob>(job: Job): Job {
  return { ...job, worker: { ...job.worker, stalledInterval: 100 } };
}

/** The queue of the job, for tests that read or change it. */
export function queueOf({ redis, config }: Context, job: AnyJob): Queue {
  return new Queue(job.name, { connection: redis, prefix: config.redisPrefix });
}
