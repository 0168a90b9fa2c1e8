/** Sweeps the mail spool: removes raw bytes without a job and corrects the counts. */
import type { Context } from '../context.ts';
import type { SpoolCorrection } from '../intake/spool-scripts.ts';
import { firstJobId } from '../intake/accepted-mail.ts';
import { hasIngestJob, ingestJob } from '../intake/ingest-job.ts';

/** Raw bytes younger than this are not checked. */
const GRACE_MS = 60 * 60_000;

/**
 * Removes raw bytes without a job. They belong to mail whose job could not be added, so the client
 * did not get a 250. Resolves to the number of mails.
 */
export async function removeOrphanMail(
  context: Pick<Context, 'now' | 'queues' | 'mailSpool'>,
): Promise<number> {
  const { mailSpool } = context;
  let count = 0;
  for await (const ids of mailSpool.waitingSince(context.now() - GRACE_MS)) {
    for (const id of ids) {
      if (await hasJob(context, id)) continue;
      await mailSpool.ack([{ ingestId: id }]);
      count += 1;
    }
  }
  return count;
}

/**
 * Whether the mail has a job, of its own or with others. Mail that leaves a group gets its own job
 * before that of the group ends, so the job of the group is looked up first.
 */
async function hasJob(context: Pick<Context, 'queues'>, ingestId: string): Promise<boolean> {
  const first = firstJobId(ingestId);
  if (first !== ingestId && (await context.queues.has(ingestJob, first))) return true;
  return hasIngestJob(context, ingestId);
}

/**
 * Corrects the byte counts of accepted mail and the loads of workspaces. Resolves to the
 * correction, or null if there was none.
 */
export async function correctCounts({
  mailSpool,
}: Pick<Context, 'mailSpool'>): Promise<SpoolCorrection | null> {
  const drift = await mailSpool.recount();
  return drift !== null && Object.values(drift).some((wrong) => wrong !== 0) ? drift : null;
}
