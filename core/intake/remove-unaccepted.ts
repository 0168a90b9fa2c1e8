import type { BlobStore } from '../blobs/blob-store.ts';
import { discardUnaccepted } from '../blobs/discard.ts';
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
 * Removes what was written of mails that were not accepted, and whose job was or may have been
 * added: a command that timed out may have been executed. A job that is gone may have stored its
 * mail, which then has no bytes in Redis and needs its blob. A worker therefore deletes the blob,
 * unless a row refers to it. If this fails, core/ingest/sweep-spool.ts removes the data later.
 */
export async function removeUnaccepted(
  parts: Parts,
  jobId: string,
  mails: AcceptedMail[],
): Promise<void> {
  const { mailSpool, log } = parts;
  try {
    // A worker may already process a job whose enqueue timed out, and needs the bytes.
    if (!(await isGone(parts, jobId))) return;
    for (const mail of mails) {
      const { ingestId, raw } = mail;
      // The mail may have left the group: its own job was added before that of the group ended.
      if (ingestId !== jobId && !(await isGone(parts, ingestId))) continue;
      await mailSpool.ack([mail]);
      if (raw.in === 'blob') await discardUnaccepted(parts, raw.key);
    }
  } catch (error) {
    log.debug('raw mail left to the sweep', { jobId, fault: errorText(error) });
  }
}

/** Removes the bytes of mails for which no job was added. */
export async function removeUnqueued(
  { mailSpool, blobs, log }: Parts,
  mails: AcceptedMail[],
): Promise<void> {
  try {
    await mailSpool.ack(mails);
    for (const { raw } of mails) if (raw.in === 'blob') await blobs.delete(raw.key);
  } catch (error) {
    log.debug('raw mail left to the sweep', { fault: errorText(error) });
  }
}

/** Removes a job, unless a worker runs it. Returns whether no queue has it, for whatever reason. */
async function isGone({ queues }: Pick<Parts, 'queues'>, jobId: string): Promise<boolean> {
  // In the order in which mail moves: it is added to the next queue before it leaves one.
  for (const job of ingestJobs) {
    await queues.discard(job, jobId);
    if (await queues.has(job, jobId)) return false;
  }
  return true;
}
