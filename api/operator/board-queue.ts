/** Adapts a queue for the board. */
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { QueueJobJson } from '@bull-board/api/typings/app';
import type { Job, Queue } from 'bullmq';
import { deliveryJob } from '../../core/delivery/jobs.ts';
import { ingestJob, ingestJobs, requirePriority } from '../../core/intake/ingest-job.ts';

const REASON_MAX_LENGTH = 200;
/** Jobs that are promoted at once. */
const JOBS_AT_ONCE = 100;

/**
 * A stack frame in a file of Mayfly or Node. Other lines of a stack trace can contain text of a
 * mail.
 */
const FRAME = /^ {4}at (?:[^()]+ \()?(?:file:\/\/|node:|\/)[^\s()]+:\d+:\d+\)?$/;

/** Only ingest jobs can be retried here; deliveries are redelivered through the API. */
export class BoardQueue extends BullMQAdapter {
  constructor(queue: Queue) {
    const writable = ingestJobs.some(({ name }) => name === queue.name);
    super(queue, {
      readOnlyMode: !writable,
      description: writable ? 'Jobs can be retried and promoted, and not changed otherwise.' : '',
    });
    if (queue.name === deliveryJob.name) this.setFormatter('name', deliveryName);
    if (queue.name === ingestJob.name) this.setFormatter('name', ingestName);
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    return job && this.#prepared(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    return (await super.getJobs(...range)).map((job) => this.#prepared(job));
  }

  /** Replaces `promoteJobs` of BullMQ, after which jobs with a priority are served before all. */
  override async promoteAll(): Promise<void> {
    const { delayed = 0 } = await this.getJobCounts();
    for (let left = delayed; left > 0; left -= JOBS_AT_ONCE) {
      const jobs = await this.getJobs(['delayed'], 0, Math.min(left, JOBS_AT_ONCE) - 1);
      await Promise.all(jobs.map(promoteDelayed));
    }
  }

  #prepared(job: Job): Job {
    if (!this.readOnlyMode) keepPriority(job);
    return withoutContent(job);
  }
}

/** A job that a worker has taken meanwhile is left out. */
async function promoteDelayed(job: Job): Promise<void> {
  try {
    await job.promote();
  } catch (error) {
    if (await job.isDelayed()) throw error;
  }
}

/** The board calls `retry` and `promote` of the job. */
function keepPriority(job: Job): void {
  const [retry, promote] = [job.retry.bind(job), job.promote.bind(job)];
  job.retry = async (...args) => {
    await requirePriority(job);
    await retry(...args);
  };
  job.promote = async () => {
    await requirePriority(job);
    await promote();
  };
}

/**
 * A delivery is shown by its webhook, its message, and the number of the next, current or last
 * attempt.
 */
function deliveryName(job: QueueJobJson): string {
  const { success, data } = deliveryJob.payload.safeParse(job.data);
  if (!success) return job.name;
  // BullMQ counts the end of every run, including the last.
  const ended = job.attemptsMade - (job.finishedOn ? 1 : 0);
  return `${data.webhookId} ${data.messageId} attempt ${data.attempt + ended}`;
}

/**
 * A job of several mails is shown by their number and ids. The data of a job has their envelopes.
 */
function ingestName(job: QueueJobJson): string {
  const { success, data } = ingestJob.payload.safeParse(job.data);
  if (!success || !('mails' in data)) return job.name;
  return `${data.mails.length} mails: ${data.mails.map(({ ingestId }) => ingestId).join(' ')}`;
}

/**
 * After its first line, an error of the database or the parser can contain the content of a mail.
 */
function withoutContent(job: Job): Job {
  if (job.failedReason) job.failedReason = firstLine(job.failedReason);
  job.stacktrace = job.stacktrace?.map(plainTrace) ?? null;
  return job;
}

function firstLine(text: string): string {
  return text.slice(0, REASON_MAX_LENGTH).replace(/[\r\n].*$/s, '');
}

/** The board shows the stack trace instead of the reason, so the reason stays its first line. */
function plainTrace(stack: string): string {
  const frames = stack.split('\n').filter((line) => FRAME.test(line));
  return [firstLine(stack), ...frames].join('\n');
}
