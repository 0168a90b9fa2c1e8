/**
 * A job is one file: name, payload schema, options and handler together. Producers hold on to the same
 * definition as the worker, so a name or a payload cannot differ between them.
 */
import type { JobsOptions, WorkerOptions } from 'bullmq';
import { z } from 'zod';
import type { Context } from '../core/context.js';

/** What a handler may want to know of the run it is in. */
export interface Run {
  jobId: string;
  /** 1 for the first start; more when an earlier start failed or died. */
  start: number;
  /** How many workers died, or lost their lock, holding this job. */
  stalls: number;
}

export interface JobDefinition<Payload> {
  name: string;
  payload: z.ZodType<Payload>;
  /** How it is queued: attempts, retention. Retry delays come from `backoff`. */
  options: JobsOptions;
  /** How it is worked: concurrency and locks. */
  worker: Pick<WorkerOptions, 'lockDuration' | 'stalledInterval' | 'maxStalledCount'> & {
    concurrency: (context: Context) => number;
  };
  /** Milliseconds until the next attempt after `failures` failures. */
  backoff: (failures: number) => number;
  /** Repeats every so many milliseconds, in one place however many workers there are. */
  every?: number;
  run: (context: Context, payload: Payload, run: Run) => Promise<void>;
}

/** A definition whose payload type its holder does not know; workers parse before they run it. */
export type AnyJob = Omit<JobDefinition<never>, 'payload' | 'run'> & {
  runUnknown: (context: Context, payload: unknown, run: Run) => Promise<void>;
};

export type DefinedJob<Payload> = JobDefinition<Payload> & AnyJob;

/** Thrown by a handler whose job no further attempt can help; it stays visible among the failed. */
export class GiveUp extends Error {
  override name = 'GiveUp';
}

/** Thrown by a handler that has failed and knows when to try again, whatever the job's own backoff says. */
export class RetryIn extends Error {
  override name = 'RetryIn';

  constructor(
    message: string,
    readonly delayMs: number,
  ) {
    super(message);
  }
}

/** Thrown by a handler that has not failed, but has to be run again later. */
export class RunLater extends Error {
  override name = 'RunLater';

  constructor(readonly delayMs: number) {
    super(`later, in ${delayMs} ms`);
  }
}

/** Attempts without end: work that must not be given up on, only retried ever more slowly. */
export const ENDLESS = Number.MAX_SAFE_INTEGER;

/** 100 ms, doubling, up to `cap` milliseconds. */
export const cappedBackoff = (cap: number) => (failures: number) =>
  Math.min(100 * 2 ** Math.min(failures - 1, 20), cap);

export function defineJob<Payload>(definition: JobDefinition<Payload>): DefinedJob<Payload> {
  return {
    ...definition,
    runUnknown: (context, payload, run) =>
      definition.run(context, definition.payload.parse(payload), run),
  };
}

/** Locks for work that is in no hurry. A stall never ends a job: it says nothing of the work itself. */
export const UNHURRIED = {
  lockDuration: 30_000,
  stalledInterval: 10_000,
  maxStalledCount: ENDLESS,
} as const;

/** Work by the clock that needs no payload, done by one worker at a time, every so many milliseconds. */
export function defineScheduledJob(job: {
  name: string;
  every: number;
  run: (context: Context) => Promise<void>;
}): DefinedJob<Record<string, never>> {
  return defineJob({
    ...job,
    payload: z.record(z.string(), z.never()),
    options: { backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
    worker: { concurrency: () => 1, ...UNHURRIED },
    backoff: cappedBackoff(60_000),
  });
}
