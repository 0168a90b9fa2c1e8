/**
 * What the producers and the worker of a job agree upon. A contract lies in core/ beside the code that
 * enqueues the job; its handler lies in jobs/. Both use the same value, so a name or a payload cannot differ.
 */
import type { JobsOptions } from 'bullmq';
import { z } from 'zod';

export interface JobContract<Payload> {
  name: string;
  payload: z.ZodType<Payload>;
  /** How the job is queued: attempts and retention. The handler decides the delays between attempts. */
  options: JobsOptions;
}

/** A job without a payload that is started every `every` milliseconds, by one worker at a time. */
export interface ScheduledJobContract extends JobContract<Record<string, never>> {
  every: number;
}

/** The number of attempts of a job that must not be given up. */
export const ENDLESS = Number.MAX_SAFE_INTEGER;

export function scheduledJob(name: string, every: number): ScheduledJobContract {
  return {
    name,
    every,
    payload: z.record(z.string(), z.never()),
    options: { backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
  };
}
