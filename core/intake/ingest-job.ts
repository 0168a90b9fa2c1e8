import type { Job } from 'bullmq';
import * as z from 'zod';
import type { Queues } from '../queue/queues.ts';
import { type JobContract, untilDone } from '../queue/job-contract.ts';
import { type AcceptedMail, acceptedMail } from './accepted-mail.ts';
import { PRIORITY_OF_OLD_MAIL } from './load.ts';

type Payload = AcceptedMail | { mails: AcceptedMail[] };

/** Stores accepted mail: one, or several that were written to Redis together. */
export const ingestJob: JobContract<Payload> = {
  name: 'ingest-message',
  payload: z.union([z.object({ mails: z.array(acceptedMail).min(2) }), acceptedMail]),
  options: untilDone, // mail accepted with 250 must not be lost
};

/** The mails of a job. */
export function mailsOf(payload: Payload): AcceptedMail[] {
  return 'mails' in payload ? payload.mails : [payload];
}

const heavyMail = acceptedMail.extend({
  /** The limit that parsing exceeded, so that no later run spends the same time again. */
  exceeded: z.enum(['time', 'memory']).optional(),
  /** Failed runs whose cause may be the mail: their number, and the time of the last one in ms. */
  failures: z.object({ count: z.number().int(), at: z.number() }).optional(),
});
export type HeavyMail = z.infer<typeof heavyMail>;

/** Stores mail that a child process parses (core/ingest/heavy.ts). */
export const heavyJob: JobContract<HeavyMail> = {
  name: 'ingest-heavy',
  payload: heavyMail,
  options: untilDone,
};

/** Stores mail that exceeded the time of `ingest-heavy`, or was active when workers crashed. */
export const slowJob: JobContract<HeavyMail> = {
  name: 'ingest-slow',
  payload: heavyMail,
  options: untilDone,
};

/** In the order in which mail moves. */
export const ingestJobs = [ingestJob, heavyJob, slowJob] as const;

/** Whether one of the queues has a job with this id, in any state. */
export async function hasIngestJob({ queues }: { queues: Queues }, id: string): Promise<boolean> {
  // A mail is added to the next queue before it leaves one, so it is not missed in between.
  for (const job of ingestJobs) if (await queues.has(job, id)) return true;
  return false;
}

/**
 * Called before a job that failed or is delayed is queued again: one without a priority would be
 * served before all others.
 */
export async function requirePriority(job: Job): Promise<void> {
  if (job.priority === 0) await job.changePriority({ priority: PRIORITY_OF_OLD_MAIL });
}
