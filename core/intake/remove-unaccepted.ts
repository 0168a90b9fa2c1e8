import type { BlobStore } from '../blobs/blob-store.ts';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Queues } from '../queue/queues.ts';
import type { AcceptedMail } from './accepted-mail.ts';
import { ingestJobs } from './ingest-job.ts';
import type { MailSpool } from './spool.ts';

interface Parts {
  readonly queues: Queues;
  readonly mailSpool: MailSpool;
  readonly blobs: BlobStore;
  readonly log: Logger;
}

/**
 * Removes what was written of mails that were not accepted; a command that timed out may have been
 * executed. If this fails, core/ingest/sweep-spool.ts removes the
 * data later.
 */
export async function removeUnaccepted(
  parts: Parts,
  jobId: string,
  mails: AcceptedMail[],
): Promise<void> {
  const { mailSpool, blobs, log } = parts;
  try {
    // A worker may already process a job whose enqueue timed out, and needs the bytes.
    if (!(await isRemoved(parts, jobId))) return;
    for (const mail of mails) {
      const { ingestId, raw } = mail;
      // The mail may have left the group: its own job was added before that of the group ended.
      if (ingestId !== jobId && !(await isRemoved(parts, ingestId))) continue;
      await mailSpool.ack([mail]);
      if (raw.in === 'blob') await blobs.delete(raw.key);
    }
  } catch (error) {
    log.debug('raw mail left to the sweep', { jobId, fault: errorText(error) });
  }
}

async function isRemoved({ queues }: Pick<Parts, 'queues'>, jobId: string): Promise<boolean> {
  // In the order in which mail moves: it is added to the next queue before it leaves one.
  for (const job of ingestJobs) {
    await queues.discard(job, jobId);
    if (await queues.has(job, jobId)) return false;
  }
  return true;
}
