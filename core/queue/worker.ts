/** Creates the BullMQ worker of a job definition. */
import { DelayedError, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { RedisClient } from '../redis/client.ts';
import type { Context } from '../context.ts';
import { withTimeout } from '../with-timeout.ts';
import { AppError, errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type AnyJob, GiveUp, RetryIn, RunLater } from './job.ts';

/** Pause after a job could not be taken, for example from a Redis without free memory. */
const RETRY_PAUSE_MS = 1000;

/** A BullMQ worker repeats at once what Redis refuses, for as long as Redis refuses it. */
class PausingWorker extends Worker {
  protected override async moveToActive(token: string, name?: string) {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await this.delay(RETRY_PAUSE_MS);
      throw error;
    }
  }
}

/** Longer than BullMQ needs to end a wait by itself and to reconnect. */
const WAIT_SLACK_MS = 5000;

/**
 * After a failover of a cluster, the connection for blocking reads can hang for minutes
 * (github.com/taskforcesh/bullmq/issues/4138). A worker then looks for jobs after each wait.
 */
function boundWaits({ backend }: Worker): void {
  const wait = backend.waitForJob.bind(backend);
  backend.waitForJob = async (seconds) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, seconds * 1000 + WAIT_SLACK_MS, null);
    });
    try {
      return await Promise.race([wait(seconds), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

export function startWorker(context: Context, connection: RedisClient, job: AnyJob): Worker {
  const { concurrency, ...locks } = job.worker;
  const log = context.log.child({ subsystem: job.name });
  const worker = new PausingWorker(
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
  boundWaits(worker);
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
      priority: run.priority,
      update: (payload) => run.updateData(payload),
      async requireMaster() {
        if (await context.queues.has(job, run.id ?? '')) return;
        throw new AppError('unavailable', 'Redis does not have the job: not the current master?');
      },
    });
  } catch (error) {
    if (error instanceof GiveUp) throw new UnrecoverableError(error.message);
    if (error instanceof RunLater) {
      const { priority } = error;
      if (priority !== undefined) await run.changePriority({ priority });
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
    await withTimeout(deadlineMs, () => worker.close());
  } catch (error) {
    log.warn('worker close failed', { queue: worker.name, fault: errorText(error) });
  }
}
