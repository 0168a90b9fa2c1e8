import type { Context } from '../context.ts';
import { ingestJobs, requirePriority } from '../intake/ingest-job.ts';

/**
 * Queues all quarantined mail again, with the priorities of its jobs. Mail that is quarantined
 * again meanwhile stays. Resolves to the number of mails.
 */
export async function retryQuarantined({ queues }: Pick<Context, 'queues'>): Promise<number> {
  let count = 0;
  for (const job of ingestJobs) {
    const queue = await queues.open(job);
    for (const id of await queue.getRanges(['failed'], 0, -1)) {
      const failed = await queue.getJob(id);
      if (!failed || !(await failed.isFailed())) continue; // another command was faster
      await requirePriority(failed);
      await failed.retry();
      count += 1;
    }
  }
  return count;
}
