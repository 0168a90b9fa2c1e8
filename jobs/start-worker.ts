/** From a job definition to the BullMQ worker that runs it. */
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { RedisClient } from '../core/redis.js';
import type { Context } from '../core/context.js';
import { type AnyJob, GiveUp, RetryIn, RunLater } from './job.js';

export function startWorker(context: Context, connection: RedisClient, job: AnyJob): Worker {
  const { concurrency, ...locks } = job.worker;
  const log = context.log.child({ subsystem: job.name });
  const worker = new Worker(
    job.name,
    (run, token) => runJob({ ...context, log }, job, run, token),
    {
      connection,
      prefix: context.config.redisPrefix,
      concurrency: concurrency(context),
      ...locks,
      settings: {
        backoffStrategy: (failures, _type, error) =>
          error instanceof RetryIn ? error.delayMs : job.backoff(failures),
      },
    },
  );
  worker.on('error', (error) => log.warn('worker fault', { fault: error.message }));
  const { failures, stalls } = context.metrics.jobs;
  for (const counter of [failures, stalls]) counter.inc({ queue: job.name }, 0);
  worker.on('stalled', (jobId) => {
    stalls.inc({ queue: job.name });
    log.warn('job stalled, running it again', { jobId });
  });
  worker.on('failed', (run, error) => {
    failures.inc({ queue: job.name });
    // A handler that names its next try expected the failure, and has told of it.
    const level = error instanceof RetryIn ? 'debug' : 'warn';
    const facts = { jobId: run?.id, failures: run?.attemptsMade, fault: error.message };
    log.log(level, 'job failed', facts);
  });
  return worker;
}

async function runJob(
  context: Context,
  job: AnyJob,
  run: Job,
  token: string | undefined,
): Promise<void> {
  try {
    await job.runUnknown(context, run.data, {
      jobId: run.id ?? '',
      start: run.attemptsStarted,
      stalls: run.stalledCounter,
    });
  } catch (error) {
    if (error instanceof GiveUp) throw new UnrecoverableError(error.message);
    if (error instanceof RunLater) {
      await run.moveToDelayed(Date.now() + error.delayMs, token);
      throw new DelayedError();
    }
    throw error;
  }
}

/** Lets running jobs finish, then closes; by force when Redis does not let go within 5 s. */
export async function stopWorker(worker: Worker, deadlineMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, 'late');
  });
  const outcome = await Promise.race([worker.close().then(() => 'closed'), late]);
  clearTimeout(timer);
  if (outcome === 'late') void worker.close(true).catch(() => undefined);
}
