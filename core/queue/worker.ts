/** From a job definition to the BullMQ worker that runs it. */
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { RedisClient } from '../redis/client.js';
import type { Context } from '../context.js';
import { within } from '../time-limit.js';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
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
    // A handler that sets the delay of its next attempt has expected and logged the failure.
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

/**
 * Stops taking jobs and waits until those that run have finished, for `deadlineMs` at most. A close that fails or is
 * late is logged: BullMQ cannot force one that has begun, and the locks of its jobs end by themselves.
 */
export async function stopWorker(worker: Worker, deadlineMs: number, log: Logger): Promise<void> {
  try {
    await within(deadlineMs, () => worker.close());
  } catch (error) {
    log.warn('worker not closed', { queue: worker.name, fault: errorText(error) });
  }
}
