import type { Job } from 'bullmq';
import type { Context } from '../../../core/context.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { ingestJobs, mailsOf } from '../../../core/intake/ingest-job.ts';
import type { JobRun } from '../../../core/queue/job.ts';
import { ingestHeavy, ingestSlow, ingestMessage } from '../../../jobs/ingest.ts';

export const INGEST = [ingestMessage, ingestHeavy, ingestSlow];

/**
 * Runs the job of these mails, and those to which they move, without a worker. Rejects with the
 * failure of the last one, whose job stays.
 */
export async function ingestNow(
  context: Context,
  payload: AcceptedMail | { mails: AcceptedMail[] },
  run: JobRun = { jobId: '', start: 1, stalls: 0 },
): Promise<void> {
  await ingestMessage.run(context, payload, run);
  for (const { ingestId } of mailsOf(payload)) {
    for (const job of [ingestHeavy, ingestSlow]) {
      const moved = await (await context.queues.open(job)).getJob(ingestId);
      if (!moved) continue;
      await job.runUnknown(context, moved.data, {
        ...run,
        stalls: 0,
        update: (changed) => moved.updateData(changed),
      });
      await context.queues.discard(job, ingestId);
    }
  }
}

/** The state of a mail in the queue in which it is. */
export async function ingestState({ queues }: Context, id: string): Promise<string> {
  for (const job of [...ingestJobs].reverse()) {
    const state = await queues.stateOf(job, id);
    if (state !== 'unknown') return state;
  }
  return 'unknown';
}

/** The failed jobs of mail. A loaded machine parses too slowly for the queue of short turns. */
export async function failedIngest({ queues }: Context): Promise<Job[]> {
  const failed: Job[] = [];
  for (const job of ingestJobs) failed.push(...(await (await queues.open(job)).getFailed()));
  return failed;
}
