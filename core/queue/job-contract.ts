/**
 * The contract between the producers and the worker of a job. It is in core/ beside the code that
 * enqueues the job; the handler is in jobs/. Both use the same value, so name and payload cannot
 * differ.
 */
import type { JobsOptions } from 'bullmq';
import * as z from 'zod';

export interface JobContract<Payload> {
  name: string;
  payload: z.ZodType<Payload>;
  /**
   * How the job is queued: attempts and retention. The handler sets the delays between attempts.
   */
  options: JobsOptions;
}

/** A job without payload that one worker runs every `every` milliseconds. */
export interface ScheduledJobContract extends JobContract<Record<string, never>> {
  every: number;
}

/** Number of attempts of a job that is retried without limit. */
export const ENDLESS = Number.MAX_SAFE_INTEGER;

/** Options of a job that must not be lost: it is retried without limit. */
export const untilDone: JobsOptions = {
  attempts: ENDLESS,
  backoff: { type: 'capped' },
  removeOnComplete: true,
  stackTraceLimit: 1,
};

export function scheduledJob(name: string, every: number): ScheduledJobContract {
  return {
    name,
    every,
    payload: z.record(z.string(), z.never()),
    options: { backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
  };
}
