/**
 * The spool: raw bytes of accepted mail until the transaction that stores it has committed. Mail of
 * up to 1 MiB is a Redis value beside its job, larger mail a blob. A hash contains what each mail
 * occupies with its job, so the number of waiting bytes is exact and intake stops at a limit
 * (spool-room.ts). Quarantined mail counts separately, against a limit of the same size, because it
 * stays until an operator acts.
 */
import type { RedisClient } from '../redis/client.ts';
import { rawBlobKey } from '../blobs/keys.ts';
import {
  type BlobStore,
  INLINE_MAX_BYTES,
  blobStoreUnavailable,
  readBlob,
  type RawSource,
} from '../blobs/blob-store.ts';
import { idTime } from '../ids.ts';
import type { AcceptedMail } from './accepted-mail.ts';
import { type Loads, openKnownLoads } from './load.ts';
import { type SpoolRoom, openSpoolRoom } from './spool-room.ts';
import { type SpoolCorrection, parseCorrection, defineSpoolScripts } from './spool-scripts.ts';

type Counted = Pick<AcceptedMail, 'ingestId'>;

/** A mail with its bytes. */
interface MailBytes extends Pick<AcceptedMail, 'ingestId' | 'loads'> {
  chunks: readonly Buffer[];
  /** Bytes. */
  size: number;
  /** Bytes of Redis that its job takes, about. */
  jobBytes?: number;
}

export interface MailSpool {
  /**
   * Stores the bytes of mails durably at the location of {@link rawReference}: all or none of those
   * in Redis, in one command that is issued in the calling tick if no mail has another location.
   */
  put: (mails: MailBytes[]) => Promise<void>;
  /** The bytes, or null if they are removed. */
  get: (ingestId: string, reference: AcceptedMail['raw']) => Promise<Buffer | null>;
  /** The bytes of mails in Redis in one command, each null if they are removed. */
  getAll: (ingestIds: string[]) => Promise<(Buffer | null)[]>;
  /** The bytes, or the file with them; null if they are removed. */
  open: (ingestId: string, reference: AcceptedMail['raw']) => Promise<RawSource | null>;
  /**
   * Removes mails that are stored or were never queued, in one command. A blob stays: it is the
   * stored source.
   */
  ack: (mails: Counted[]) => Promise<void>;
  /** Marks a mail as quarantined; resolves to the bytes of all quarantined mail. */
  quarantine: (mail: Counted) => Promise<number>;
  /** The present load of the workspace with the largest one among these. */
  largestLoad: (loads: Loads) => Promise<number>;
  /** Same with these loads added, and without a round trip ({@link openKnownLoads}). */
  knownLoad: (loads: Loads) => number;
  /** Ids of mail that has waited since before `time` (ms since 1970), in pages. */
  waitingSince: (time: number) => AsyncIterable<string[]>;
  readonly room: SpoolRoom;
  /**
   * Sets both byte counts to the sums of the stored sizes, and the loads of workspaces to those of
   * waiting mail, atomically. Resolves to what was wrong, or null if there are too many mails for
   * one step.
   */
  recount: () => Promise<SpoolCorrection | null>;
  /** Number and bytes of waiting and of quarantined mails. */
  totals: () => Promise<Record<'waiting' | 'quarantined', { mails: number; bytes: number }>>;
}

export function openMailSpool(
  redis: RedisClient,
  prefix: string,
  blobs: BlobStore,
  maxQueuedBytes: number,
): MailSpool {
  const scripts = defineSpoolScripts(redis);

  const sizes = `${prefix}:raw:sizes`;
  const waitingBytesKey = `${prefix}:raw:bytes`;
  const quarantined = `${prefix}:raw:quarantined`;
  const quarantinedBytesKey = `${prefix}:raw:quarantined-bytes`;
  const loadsKey = `${prefix}:raw:loads`;
  const mailLoadsKey = `${prefix}:raw:mail-loads`;
  const counts = [sizes, waitingBytesKey, quarantined, quarantinedBytesKey, loadsKey, mailLoadsKey];
  const valueKey = (ingestId: string) => `${prefix}:raw:${ingestId}`;
  const known = openKnownLoads();
  const room = openSpoolRoom(
    {
      counts: () => scripts.mayflyRoom(waitingBytesKey, quarantinedBytesKey),
      async load(workspaceId) {
        const load = Number(await redis.hget(loadsKey, workspaceId));
        known.note([workspaceId, load]);
        return load;
      },
      knownLoad: (workspaceId) => known.last(workspaceId),
    },
    maxQueuedBytes,
  );

  const accept = async (mails: MailBytes[]) => {
    const values = mails.filter(({ size }) => size <= INLINE_MAX_BYTES);
    for (const { jobBytes = 0 } of mails) room.recordUsage(jobBytes);
    for (const { size } of values) room.recordUsage(size);
    const valueKeys = values.map(({ ingestId }) => valueKey(ingestId));
    const bytesKeys = [sizes, waitingBytesKey, quarantinedBytesKey];
    const keys = [...bytesKeys, loadsKey, mailLoadsKey, ...valueKeys];
    const [waiting, held, loads] = await scripts.mayflyAccept(
      keys.length,
      keys,
      mails.length,
      mails.map(({ ingestId }) => ingestId),
      mails.map(({ size, jobBytes = 0 }) => size + jobBytes),
      mails.map((mail) => argumentOf(mail.loads)),
      values.map(({ chunks }) => Buffer.concat(chunks)),
    );
    room.recordBytes([waiting, held]);
    known.note(loads);
  };

  /** Bytes of mails that are being written to the blob store. */
  let uploadingBytes = 0;

  /**
   * Storing a mail takes its size again, for its attachments. Without this reserve, a disk full of
   * waiting mail could never be emptied.
   */
  const requireSpace = async () => {
    const left = await blobs.room();
    if (left === Infinity) return;
    const waiting = await redis.get(waitingBytesKey);
    if (left < 2 * uploadingBytes + Number(waiting)) {
      throw blobStoreUnavailable(
        new Error(`${left} bytes of disk space left, and ${waiting ?? 0} bytes wait`),
      );
    }
  };

  const upload = async (key: string, { chunks, size }: MailBytes) => {
    uploadingBytes += size;
    try {
      await requireSpace();
      await blobs.put(key, chunks);
    } finally {
      uploadingBytes -= size;
    }
  };

  const get = (ingestId: string, reference: AcceptedMail['raw']) =>
    reference.in === 'redis' ? redis.getBuffer(valueKey(ingestId)) : readBlob(blobs, reference.key);

  return {
    async put(mails) {
      for (const mail of mails) {
        const reference = rawReference(mail.ingestId, mail.size);
        if (reference.in === 'blob') await upload(reference.key, mail);
      }
      await accept(mails);
    },
    get,
    getAll: (ingestIds) => redis.mgetBuffer(ingestIds.map(valueKey)),
    open: (ingestId, reference) =>
      reference.in === 'blob' && blobs.file ? blobs.file(reference.key) : get(ingestId, reference),
    async ack(mails) {
      const ids = mails.map(({ ingestId }) => ingestId);
      const keys = [...counts, ...ids.map(valueKey)];
      await scripts.mayflyAck(keys.length, keys, ids);
    },
    quarantine: ({ ingestId }) => scripts.mayflyQuarantine(counts, ingestId),
    async largestLoad(loads) {
      const present = await Promise.all(Object.keys(loads).map((id) => redis.hget(loadsKey, id)));
      return present.reduce((largest, load) => Math.max(largest, Number(load)), 0);
    },
    knownLoad: (loads) => known.largest(loads),
    async *waitingSince(time) {
      let cursor = '0';
      do {
        const [next, flat] = await redis.hscan(sizes, cursor, 'COUNT', 500);
        cursor = next;
        const ids = flat.filter((_, index) => index % 2 === 0).filter((id) => idTime(id) < time);
        if (ids.length > 0) yield ids;
      } while (cursor !== '0');
    },
    room,
    recount: async () => parseCorrection(await scripts.mayflyRecount(counts)),
    async totals() {
      const [all, set, bytes] = await Promise.all([
        redis.hlen(sizes),
        redis.scard(quarantined),
        redis.mget(waitingBytesKey, quarantinedBytesKey),
      ]);
      const [waitingBytes, quarantinedBytes] = bytes.map(Number);
      return {
        waiting: { mails: Math.max(0, all - set), bytes: waitingBytes ?? 0 },
        quarantined: { mails: set, bytes: quarantinedBytes ?? 0 },
      };
    },
  };
}

/**
 * The storage location for a mail of this size. It is known before the bytes are stored, so the job
 * is added at the same time.
 */
export function rawReference(ingestId: string, size: number): AcceptedMail['raw'] {
  return size <= INLINE_MAX_BYTES ? { in: 'redis' } : { in: 'blob', key: rawBlobKey(ingestId) };
}

/** Loads as one argument of a script. */
function argumentOf(loads: Loads = {}): string {
  return Object.entries(loads).flat().join(' ');
}
