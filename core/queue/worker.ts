/** Creates the BullMQ worker of a job definition. */
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { RedisClient } from '../redis/client.ts';
import type { Context } from '../context.ts';
import { within } from '../time-limit.ts';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type AnyJob, GiveUp, RetryIn, RunLater } from './job.ts';

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
  worker.on('error', (error) => log.warn('worker error', { fault: error.message }));
  const { failures, stalls } = context.metrics.jobs;
  for (const counter of [failures, stalls]) counter.inc({ queue: job.name }, 0);
  worker.on('stalled', (jobId) => {
    stalls.inc({ queue: job.name });
    log.warn('job stalled, running again', { jobId });
  });
  worker.on('failed', (run, error) => {
    failures.inc({ queue: job.name });
    // A handler that sets the delay of its next attempt expected and logged the failure.
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
      update: (payload) => run.updateData(payload),
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
 * Stops taking jobs and waits up to `deadlineMs` for running ones. A failed or late close is
 * logged: BullMQ cannot force a close that has started, and job locks expire.
 */
export async function stopWorker(worker: Worker, deadlineMs: number, log: Logger): Promise<void> {
  try {
    await within(deadlineMs, () => worker.close());
  } catch (error) {
    log.warn('worker close failed', { queue: worker.name, fault: errorText(error) });
  }
}
