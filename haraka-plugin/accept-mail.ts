/**
 * From the final dot to 250: the raw bytes and the ingest job are both durable, and as many replicas of Redis as
 * REDIS_MIN_REPLICAS asks for have them, before the answer.
 * RFC 5321 section 6.1: after the 250 the mail is ours to keep.
 */
import type { FrontContext } from '../core/context.js';
import { newId } from '../core/ids.js';
import type { AcceptedMail, MessageToStore } from '../core/ingest.js';
import { rawReference } from '../core/raw-mail.js';
import { ingestMessage } from '../jobs/ingest-message.js';
import { within } from '../core/deadline.js';
import type { AcceptedRecipient, Envelope } from './envelope.js';

/** Below `config/mayfly.timeout`, after which Haraka answers in our place while we go on. */
const DEADLINE_MS = 20_000;

type Front = Pick<FrontContext, 'now' | 'rawMail' | 'queues' | 'blobs' | 'replication' | 'log'>;

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
  await within(DEADLINE_MS, (isLate) =>
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
  const put = () => front.rawMail.put(job.ingestId, chunks, job.size);
  const enqueue = () => front.queues.enqueue(ingestMessage, job, job.ingestId);
  try {
    if (job.raw.in === 'redis') {
      await bothOf(put(), enqueue()); // in one tick, and so in one round trip
    } else {
      await put();
      if (isLate()) throw new Error('kept after the client was told to send it again');
      await enqueue();
    }
    await front.replication.reached();
  } catch (error) {
    void forget(front, job);
    throw error;
  }
}

/** One message for each distinct mailbox and tag among the recipients. */
function messagesFor(recipients: AcceptedRecipient[], receivedAt: number): MessageToStore[] {
  const distinct = new Map<string, AcceptedRecipient>();
  for (const recipient of recipients) {
    const key = `${recipient.mailboxId} ${recipient.tag ?? ''}`;
    if (!distinct.has(key)) distinct.set(key, recipient);
  }
  return [...distinct.values()].map((recipient) => ({
    id: newId('message', receivedAt),
    ...recipient,
  }));
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
async function forget({ queues, rawMail, blobs, log }: Front, { ingestId, raw }: AcceptedMail) {
  try {
    await queues.discard(ingestMessage, ingestId);
    // A worker may hold a job whose adding we gave up waiting for: its bytes are in use then.
    if (await queues.has(ingestMessage, ingestId)) return;
    await rawMail.settle(ingestId);
    if (raw.in === 'blob') await blobs.delete(raw.key);
  } catch (error) {
    log.debug('raw mail left to the sweep', { ingestId, error });
  }
}
