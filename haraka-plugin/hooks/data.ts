/**
 * From the final dot to 250: the raw bytes and the ingest job are both durable, and as many replicas of Redis as
 * REDIS_MIN_REPLICAS asks for have them, before the answer.
 * RFC 5321 section 6.1: after the 250 the mail is ours to keep.
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
 * How long a client waits for the answer to its final dot, and a command of Redis for its reply: a client that gets
 * 451 may be a program under test, which does not send again, while Redis may stall for seconds behind a busy disk.
 * Below `config/mayfly.timeout`, after which Haraka answers in our place while we go on.
 */
export const ACCEPT_TIMEOUT_MS = 20_000;

const TOO_LATE = 'kept after the client was told to send it again';

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
      await bothOf(put(), enqueue()); // in one tick, and so in one round trip
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

/** Waits for both, so that neither is still under way when the other's failure is dealt with. */
async function bothOf(...work: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
}

/**
 * Removes what was kept of a mail that was not accepted; a command that timed out may yet have been
 * carried out. What fails here is left to the sweep.
 */
async function forget({ queues, mailSpool, blobs, log }: Front, { ingestId, raw }: AcceptedMail) {
  try {
    await queues.discard(ingestJob, ingestId);
    // A worker may hold a job whose adding we gave up waiting for: its bytes are in use then.
    if (await queues.has(ingestJob, ingestId)) return;
    await mailSpool.ack(ingestId);
    if (raw.in === 'blob') await blobs.delete(raw.key);
  } catch (error) {
    log.debug('raw mail left to the sweep', { ingestId, error });
  }
}
