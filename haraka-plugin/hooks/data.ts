/**
 * Handles the final dot. Before the 250, the raw bytes and the ingest job are durable, and
 * REDIS_MIN_REPLICAS replicas of Redis have them. With the 250 the server takes responsibility for
 * the mail (RFC 5321 section 6.1).
 */
import type { FrontContext } from '../../core/context.js';
import { newId } from '../../core/ids.js';
import type { AcceptedMail } from '../../core/ingest/accepted-mail.js';
import { rawReference } from '../../core/ingest/mail-spool.js';
import { ingestJob } from '../../core/ingest/ingest-job.js';
import { messagesFor } from '../../core/ingest/recipient-messages.js';
import { within } from '../../core/time-limit.js';
import type { Envelope } from '../envelope.js';

/**
 * Time limit from the final dot to the reply. A Redis command can stall for seconds on a busy disk,
 * and a client such as a program under test may not retry after 451, so the limit is long. It is
 * below `config/mayfly.timeout`, after which Haraka would reply while the hook is still running.
 */
export const ACCEPT_TIMEOUT_MS = 20_000;

const TOO_LATE = 'mail stored after the client received 451';

type Front = Pick<FrontContext, 'now' | 'mailSpool' | 'queues' | 'blobs' | 'replication' | 'log'>;

/** Queues the mail durably and resolves to its ingest id. */
export async function acceptMail(front: Front, sender: string, mail: Envelope): Promise<string> {
  const receivedAt = front.now();
  const ingestId = newId('ingest', receivedAt);
  const size = mail.sink.bytes;
  const job: AcceptedMail = {
    ingestId,
    mailId: newId('mail', receivedAt),
    receivedAt,
    sender,
    size,
    messages: messagesFor(mail.recipients, receivedAt),
    raw: rawReference(ingestId, size),
  };
  await within(ACCEPT_TIMEOUT_MS, (isLate) =>
    mail.sink.lend((chunks) => keep(front, job, chunks, isLate)),
  );
  return ingestId;
}

async function keep(
  front: Front,
  job: AcceptedMail,
  chunks: Buffer[],
  isLate: () => boolean,
): Promise<void> {
  const put = () => front.mailSpool.put(job.ingestId, chunks, job.size);
  const enqueue = () => front.queues.enqueue(ingestJob, job, job.ingestId);
  try {
    if (job.raw.in === 'redis') {
      await bothOf(put(), enqueue()); // both in one tick, for one round trip
    } else {
      await put();
      if (isLate()) throw new Error(TOO_LATE);
      await enqueue();
    }
    await front.replication.reached();
    if (isLate()) throw new Error(TOO_LATE);
  } catch (error) {
    void forget(front, job);
    throw error;
  }
}

/** Waits for both, so that neither is in progress when a failure of the other is handled. */
async function bothOf(...work: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/**
 * Removes the data of a mail that was not accepted; a command that timed out may have been
 * executed. If this fails, the sweep removes the data later.
 */
async function forget({ queues, mailSpool, blobs, log }: Front, { ingestId, raw }: AcceptedMail) {
  try {
    await queues.discard(ingestJob, ingestId);
    // A worker may already process a job whose enqueue timed out, and needs the bytes.
    if (await queues.has(ingestJob, ingestId)) return;
    await mailSpool.ack(ingestId);
    if (raw.in === 'blob') await blobs.delete(raw.key);
  } catch (error) {
    log.debug('raw mail left to the sweep', { ingestId, error });
  }
}
