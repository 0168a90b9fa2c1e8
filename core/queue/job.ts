/** A job: its contract and its handler. Handlers are defined in jobs/, one file each. */
import type { WorkerOptions } from 'bullmq';
import type { Context } from '../context.ts';
import { runEach } from '../run-each.ts';
import { ENDLESS, type JobContract, type ScheduledJobContract } from './job-contract.ts';

/** The current run of a job. */
export interface JobRun {
  jobId: string;
  /** 1 for the first start; higher after failed or lost starts. */
  start: number;
  /**
   * Number of workers that died or lost their lock with this job; of a job with `readsMail`, number
   * of workers that died while they ran it.
   */
  stalls: number;
  /** Its priority in the queue; 0 for none. */
  priority?: number;
  /** Replaces the payload for later runs. */
  update?: (payload: object) => Promise<void>;
  /**
   * Rejects if the Redis server of `context.queues` does not have the job. A worker takes jobs
   * through connections of its own: after a failover some can lead to the new master, and others
   * for some seconds still to the former one, where newer values are missing.
   * @throws {AppError} `unavailable`
   */
  requireMaster?: () => Promise<void>;
}

export interface JobHandler<Payload> {
  /** How the worker runs the job: concurrency and locks. */
  worker: Pick<WorkerOptions, 'lockDuration' | 'stalledInterval' | 'maxStalledCount'> & {
    concurrency: (context: Context) => number;
  };
  /** The id of the mail that the job is about, if its deaths are counted by the guard. */
  readsMail?: (payload: Payload) => string;
  /** Milliseconds until the next attempt after `failures` failures. */
  backoff: (failures: number) => number;
  run: (context: Context, payload: Payload, run: JobRun) => Promise<void>;
}

/** A job with an unknown payload type; `runUnknown` parses the payload first. */
export type AnyJob = Pick<JobContract<never>, 'name' | 'options'> &
  Omit<JobHandler<never>, 'run' | 'readsMail'> & {
    runUnknown: (context: Context, payload: unknown, run: JobRun) => Promise<void>;
  };

export type JobDefinition<Payload> = JobContract<Payload> & JobHandler<Payload> & AnyJob;

/** Thrown by a handler if no further attempt can succeed. The job stays in the failed set. */
export class GiveUp extends Error {
  override name = 'GiveUp';
}

/** Thrown by a failed handler to set the delay of the next attempt. */
export class RetryIn extends Error {
  override name = 'RetryIn';
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }
}

/**
 * Thrown by a handler to run again after a delay, and with this priority if it is given, without
 * counting as failed.
 */
export class RunLater extends Error {
  override name = 'RunLater';
  readonly delayMs: number;
  readonly priority: number | undefined;

  constructor(delayMs: number, priority?: number) {
    super(`run again in ${delayMs} ms`);
    this.delayMs = delayMs;
    this.priority = priority;
  }
}

/** 100 ms, doubling up to `cap` milliseconds. */
export const cappedBackoff = (cap: number) => (failures: number) =>
  Math.min(100 * 2 ** Math.min(failures - 1, 20), cap);

export function defineJob<Payload>(
  contract: JobContract<Payload>,
  handler: JobHandler<Payload>,
): JobDefinition<Payload> {
  return {
    ...contract,
    ...handler,
    runUnknown(context, payload, run) {
      const parsed = contract.payload.parse(payload);
      const mailId = handler.readsMail?.(parsed);
      if (mailId === undefined) return handler.run(context, parsed, run);
      return context.readGuard.count(contract.name, mailId, (stalls) =>
        handler.run(context, parsed, { ...run, stalls }),
      );
    },
  };
}

/** Lock settings of ingest jobs: a worker that died is noticed within seconds. */
export const INGEST_LOCKS = {
  lockDuration: 10_000,
  stalledInterval: 3_000,
  maxStalledCount: ENDLESS,
} as const;

/**
 * Lock settings of background jobs. A stalled job never fails for good, because a stall is not the
 * fault of the job.
 */
export const BACKGROUND_LOCKS = {
  lockDuration: 30_000,
  stalledInterval: 10_000,
  maxStalledCount: ENDLESS,
} as const;

/** @param steps each runs, also if an earlier one fails. */
export function defineScheduledJob(
  contract: ScheduledJobContract,
  ...steps: ((context: Context) => Promise<unknown>)[]
): JobDefinition<Record<string, never>> {
  return defineJob(contract, {
    worker: { concurrency: () => 1, ...BACKGROUND_LOCKS },
    backoff: cappedBackoff(60_000),
    run: (context) => runEach(steps.map((step) => () => step(context))),
  });
}
