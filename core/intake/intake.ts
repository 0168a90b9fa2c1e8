/**
 * Makes received mail durable: raw bytes and ingest job in Redis, larger mail in the blob store.
 * Mails that become ready while a write to Redis is under way are written together afterwards, with
 * one command for their bytes and one job. A mail that becomes ready alone has a job of its own at
 * once, so sharing delays nothing. The mails of a shared write succeed or fail together.
 */
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Logger } from '../log.ts';
import type { Queues } from '../queue/queues.ts';
import { writeBatcher } from '../redis/batch-writes.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Replication } from '../redis/replication.ts';
import { type AcceptedMail, jobBytesOf, memberId, newGroupId } from './accepted-mail.ts';
import { ingestJob } from './ingest-job.ts';
import { SpoolFullError } from './room.ts';
import { type MailSpool, rawReference } from './spool.ts';
import { removeUnaccepted } from './remove-unaccepted.ts';

/** Limits of a group. A worker holds a whole group in memory and stores it in one transaction. */
const MAX_MAILS = 50;
const MAX_BYTES = 1024 * 1024;
/** Mail above this size has a job of its own, and does not delay small mail. */
const MAX_SHARED_BYTES = 64 * 1024;
/** Bytes of a recipient in the payload of a job, about. */
const RECIPIENT_BYTES = 256;

const TOO_LATE = 'mail stored after the client received 451';

export type ReceivedMail = Omit<AcceptedMail, 'ingestId' | 'raw'>;

export interface MailIntake {
  /**
   * Resolves to the ingest id once the mail is durable in Redis and REDIS_MIN_REPLICAS replicas
   * have it. On a failure, what was written is removed.
   * @throws {SpoolFullError} if the spool is full.
   * @param isLate whether the client has its reply already.
   */
  add: (mail: ReceivedMail, chunks: Buffer[], isLate: () => boolean) => Promise<string>;
}

interface Ready {
  readonly mail: ReceivedMail;
  readonly chunks: Buffer[];
  readonly isLate: () => boolean;
  readonly resolve: (ingestId: string) => void;
  readonly reject: (error: unknown) => void;
}

export interface IntakeParts {
  readonly redis: RedisClient;
  readonly mailSpool: MailSpool;
  readonly queues: Queues;
  readonly blobs: BlobStore;
  readonly replication: Replication;
  readonly log: Logger;
}

export function openMailIntake(parts: IntakeParts): MailIntake {
  const { mailSpool, queues, replication } = parts;
  const batchWrites = writeBatcher(parts.redis);
  let waiting: Ready[] = [];
  let writes = 0;

  /** Undoes the write if it fails, or if one of its mails is late. */
  const durably = async (
    jobId: string,
    mails: AcceptedMail[],
    isLate: () => boolean,
    write: () => Promise<unknown>,
  ) => {
    try {
      await write();
      await replication.reached();
      if (isLate()) throw new Error(TOO_LATE);
    } catch (error) {
      void removeUnaccepted(parts, jobId, mails);
      throw isOutOfMemory(error) ? new SpoolFullError() : error;
    }
  };

  const addAlone = async ({ mail, chunks, isLate }: Omit<Ready, 'resolve' | 'reject'>) => {
    const { size, receivedAt, loads } = mail;
    const ingestId = newGroupId(receivedAt);
    const accepted: AcceptedMail = { ...mail, ingestId, raw: rawReference(ingestId, size) };
    const put = () => mailSpool.put(ingestId, chunks, size, loads, jobBytesOf(mail.messages));
    const enqueue = () => queues.enqueue(ingestJob, accepted, ingestId);
    await durably(ingestId, [accepted], isLate, async () => {
      if (accepted.raw.in === 'redis') {
        await bothOf(put(), enqueue()); // both in one tick, for one round trip
        return;
      }
      await put();
      if (isLate()) throw new Error(TOO_LATE);
      await enqueue();
    });
    return ingestId;
  };

  const addGroup = async (group: Ready[]) => {
    const jobId = newGroupId(group[0]?.mail.receivedAt ?? 0);
    const mails = group.map(({ mail }, index): AcceptedMail => {
      const ingestId = memberId(jobId, index);
      return { ...mail, ingestId, raw: { in: 'redis' } };
    });
    const values = mails.map(({ ingestId, size, loads, messages }, index) => {
      const jobBytes = jobBytesOf(messages);
      return { ingestId, size, loads, jobBytes, chunks: group[index]?.chunks ?? [] };
    });
    const isLate = () => group.some((ready) => ready.isLate());
    await durably(jobId, mails, isLate, () =>
      bothOf(mailSpool.putAll(values), queues.enqueue(ingestJob, { mails }, jobId)),
    );
    return mails.map(({ ingestId }) => ingestId);
  };

  const write = async (group: Ready[]) => {
    writes += 1;
    batchWrites();
    try {
      const [first] = group;
      const ids = group.length === 1 && first ? [await addAlone(first)] : await addGroup(group);
      for (const [index, { resolve }] of group.entries()) resolve(ids[index] ?? '');
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      writes -= 1;
      writeWaiting();
    }
  };

  const writeWaiting = () => {
    if (writes > 0) return;
    // Nothing of a late mail is written yet, so nothing has to be undone.
    for (const { reject } of waiting.filter(({ isLate }) => isLate())) reject(new Error(TOO_LATE));
    const groups = groupsOf(waiting.filter(({ isLate }) => !isLate()));
    waiting = [];
    for (const group of groups) void write(group);
  };

  return {
    async add(mail, chunks, isLate) {
      if (!mailSpool.room.isKnown() && (await mailSpool.room.isFull())) throw new SpoolFullError();
      if (weightOf(mail) > MAX_SHARED_BYTES) return addAlone({ mail, chunks, isLate });
      return new Promise((resolve, reject) => {
        waiting.push({ mail, chunks, isLate, resolve, reject });
        writeWaiting();
      });
    },
  };
}

/** Bytes of the mail and, about, of its part of the job. */
function weightOf({ size, messages }: ReceivedMail): number {
  const recipients = messages.reduce(
    (sum, { envelopeTo }) => sum + 1 + (envelopeTo?.length ?? 0),
    0,
  );
  return size + recipients * RECIPIENT_BYTES;
}

/** Splits mails, in their order, into groups within the limits. */
function groupsOf(mails: Ready[]): Ready[][] {
  const groups: Ready[][] = [];
  let bytes = 0;
  for (const ready of mails) {
    const weight = weightOf(ready.mail);
    const group = groups.at(-1);
    bytes += weight;
    if (group && group.length < MAX_MAILS && bytes <= MAX_BYTES) {
      group.push(ready);
    } else {
      groups.push([ready]);
      bytes = weight;
    }
  }
  return groups;
}

/** Whether Redis has reached `maxmemory`. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM ');
}

/** Waits for both, so that neither is in progress when a failure of the other is handled. */
async function bothOf(...work: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
