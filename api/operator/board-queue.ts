/** How one queue shows on the board. */
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { QueueJobJson } from '@bull-board/api/typings/app';
import type { Job, Queue } from 'bullmq';
import { deliveryJob } from '../../core/delivery/delivery-job.js';
import { ingestJob } from '../../core/ingest/ingest-job.js';

const REASON_MAX_LENGTH = 200;

/** A frame of one of our files or of Node itself; anything else in a stack trace may be text of a mail. */
const FRAME = /^ {4}at (?:[^()]+ \()?(?:file:\/\/|node:|\/)[^\s()]+:\d+:\d+\)?$/;

/** Mail on its way in may be retried here; deliveries are made again through the API. */
export class BoardQueue extends BullMQAdapter {
  constructor(queue: Queue) {
    const writable = queue.name === ingestJob.name;
    super(queue, {
      readOnlyMode: !writable,
      description: writable ? 'Jobs can be retried and promoted, and not changed otherwise.' : '',
    });
    if (queue.name === deliveryJob.name) this.setFormatter('name', deliveryName);
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    return job && withoutContent(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    return (await super.getJobs(...range)).map(withoutContent);
  }
}

/** A delivery by its webhook, its message, and the attempt that is next, under way, or was the last. */
function deliveryName(job: QueueJobJson): string {
  const { success, data } = deliveryJob.payload.safeParse(job.data);
  if (!success) return job.name;
  // The job counts the end of every run, the last one's too.
  const ended = job.attemptsMade - (job.finishedOn ? 1 : 0);
  return `${data.webhookId} ${data.messageId} attempt ${data.attempt + ended}`;
}

/** The error of a database or of a parser may quote what it was given, after its first line. */
function withoutContent(job: Job): Job {
  if (job.failedReason) job.failedReason = firstLine(job.failedReason);
  job.stacktrace = job.stacktrace?.map(plainTrace) ?? null;
  return job;
}

function firstLine(text: string): string {
  return text.slice(0, REASON_MAX_LENGTH).replace(/[\r\n].*$/s, '');
}

/** The board shows a stack trace in place of the reason, so that has to stay its first line. */
function plainTrace(stack: string): string {
  const frames = stack.split('\n').filter((line) => FRAME.test(line));
  return [firstLine(stack), ...frames].join('\n');
}
