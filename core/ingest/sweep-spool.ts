/** The sweep of the mail spool: raw bytes without a job, and wrong byte counts. */
import type { Context } from '../context.js';
import type { ByteDrift } from './spool-recount.js';
import { ingestJob } from './ingest-job.js';

/** Raw bytes that wait for less than this are not checked. */
const GRACE_MS = 60 * 60_000;

/**
 * Removes raw bytes that no job refers to: those of a mail whose job could not be added, so the client was told to
 * send it again. Resolves to the number of mails.
 */
export async function removeOrphanMail(
  context: Pick<Context, 'now' | 'queues' | 'mailSpool'>,
): Promise<number> {
  const { mailSpool, queues } = context;
  let count = 0;
  for await (const ids of mailSpool.waitingSince(context.now() - GRACE_MS)) {
    for (const id of ids) {
      if (await queues.has(ingestJob, id)) continue;
      await mailSpool.ack(id);
      count += 1;
    }
  }
  return count;
}

/** Corrects the byte counts of accepted mail; resolves to the correction, or null when there was none. */
export async function correctByteCounts({
  mailSpool,
}: Pick<Context, 'mailSpool'>): Promise<ByteDrift | null> {
  const drift = await mailSpool.recount();
  return drift === null || (drift.waiting === 0 && drift.quarantined === 0) ? null : drift;
}
