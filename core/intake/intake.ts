/**
 * Makes received mail durable: raw bytes and ingest job in Redis, larger mail in the blob store.
 * Mails that become ready while a write to Redis is under way are written together afterwards, with
 * one command for their bytes and one job. A mail that becomes ready alone has a job of its own at
 * once, so sharing delays nothing. The mails of a shared write succeed or fail together. Mails of
 * different priority have different jobs, so no mail waits with that of a workspace with more load.
 */
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Logger } from '../log.ts';
import type { Queues } from '../queue/queues.ts';
import { type RedisClient, writeBatcher } from '../redis/client.ts';
import type { Replication } from '../redis/replication.ts';
import { newId } from '../ids.ts';
import { type AcceptedMail, ingestIdsOf, jobBytesOf } from './accepted-mail.ts';
import { ingestJob } from './ingest-job.ts';
import { loadOf, priorityAt } from './load.ts';
import { SpoolFullError } from './spool-room.ts';
import { type MailSpool, rawReference } from './spool.ts';
import { removeUnaccepted, removeUnqueued } from './remove-unaccepted.ts';

/**
 * Limits of a group, of which one is a load. A worker holds a whole group in memory and stores it
 * in one transaction.
 */
const MAX_MAILS = 50;
const MAX_LOAD = 1024 * 1024;
/** Mail above this load has a job of its own, and does not delay other mail. */
const MAX_SHARED_LOAD = 64 * 1024;

/**
 * Time after which a job runs although its process did not release it: the process has died, or
 * Redis has another master. Longer than the process may try.
 */
const HELD_MS = 30_000;

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
  readonly priority: number;
}

interface Waiting extends Ready {
  readonly resolve: (ingestId: string) => void;
  readonly reject: (error: unknown) => void;
}

export interface IntakeServices {
  readonly redis: RedisClient;
  readonly mailSpool: MailSpool;
  readonly queues: Queues;
  readonly blobs: BlobStore;
  readonly replication: Replication;
  readonly log: Logger;
}

export function openMailIntake(parts: IntakeServices): MailIntake {
  const { mailSpool, queues, replication } = parts;
  const batchWrites = writeBatcher(parts.redis);
  let waiting: Waiting[] = [];
  let writes = 0;

  /** Adds the job of mails. With replicas asked for, it runs once they have it. */
  const addJob = async (
    payload: AcceptedMail | { mails: AcceptedMail[] },
    jobId: string,
    priority: number,
  ): Promise<(() => Promise<void>) | null> => {
    if (replication.isRequired) return queues.hold(ingestJob, payload, jobId, priority, HELD_MS);
    await queues.enqueue(ingestJob, payload, jobId, priority);
    return null;
  };

  /**
   * Writes the bytes and the job of mails with one priority: in one round trip, or the job after
   * the upload of a mail for the blob store. Undoes it if it fails, or if one of the mails is late.
   * Resolves to the ingest ids.
   */
  const accept = async (group: Ready[]): Promise<string[]> => {
    const [first, ...others] = group;
    if (!first) return [];
    const jobId = newId('ingest', first.mail.receivedAt);
    const ids = ingestIdsOf(jobId, group.length);
    const mails = group.map(({ mail }, index): AcceptedMail => {
      const ingestId = ids[index] ?? '';
      return { ...mail, ingestId, raw: rawReference(ingestId, mail.size) };
    });
    const [mail = null] = others.length === 0 ? mails : [];
    const requireTime = () => {
      if (group.some(({ isLate }) => isLate())) throw new Error(TOO_LATE);
    };
    let mayHaveJob = false;
    try {
      const put = mailSpool.put(
        mails.map(({ messages, ...rest }, index) => {
          return { ...rest, chunks: group[index]?.chunks ?? [], jobBytes: jobBytesOf(messages) };
        }),
      );
      if (mail?.raw.in === 'blob') {
        await put;
        requireTime();
      }
      mayHaveJob = true;
      const release = await bothOf(put, addJob(mail ?? { mails }, jobId, first.priority));
      await replication.reached();
      requireTime();
      // After a failover, this also shows that the new master has the job.
      await release?.();
      return ids;
    } catch (error) {
      if (mayHaveJob) void removeUnaccepted(parts, jobId, mails);
      else void removeUnqueued(parts, mails);
      throw isOutOfMemory(error) ? new SpoolFullError() : error;
    }
  };

  const write = async (group: Waiting[]) => {
    writes += 1;
    batchWrites();
    try {
      const ids = await accept(group);
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
      const priority = priorityAt(mailSpool.knownLoad(mail.loads ?? {}));
      const ready = { mail, chunks, isLate, priority };
      if (loadOf(mail) > MAX_SHARED_LOAD) {
        const [ingestId = ''] = await accept([ready]);
        return ingestId;
      }
      return new Promise((resolve, reject) => {
        waiting.push({ ...ready, resolve, reject });
        writeWaiting();
      });
    },
  };
}

/** Splits mails into groups within the limits, each with mails of one priority in their order. */
function groupsOf(mails: Waiting[]): Waiting[][] {
  const groups: Waiting[][] = [];
  const open = new Map<number, { group: Waiting[]; load: number }>();
  for (const ready of mails) {
    const load = loadOf(ready.mail);
    const last = open.get(ready.priority);
    if (last && last.group.length < MAX_MAILS && last.load + load <= MAX_LOAD) {
      last.group.push(ready);
      last.load += load;
    } else {
      const group = [ready];
      groups.push(group);
      open.set(ready.priority, { group, load });
    }
  }
  return groups;
}

/** Whether Redis has reached `maxmemory`. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('OOM ');
}

/**
 * Waits for both, so that neither is in progress when a failure of the other is handled. Resolves
 * to the result of the second.
 */
async function bothOf<Result>(first: Promise<unknown>, second: Promise<Result>): Promise<Result> {
  await Promise.allSettled([first, second]);
  await first;
  return second;
}
