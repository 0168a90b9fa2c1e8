/**
 * Accepted raw mail on its way to the database. Up to 1 MiB it is a Redis value beside its job, above
 * that a blob; either way it stays until the storing transaction has committed. A hash remembers the
 * size of each mail, so that the bytes waiting are known exactly and intake can be paused on them. Mail in
 * quarantine waits for somebody who may never come: its bytes are counted apart, with as much room again.
 */
import type { RedisClient } from './redis.js';
import { rawBlobKey } from './blob-keys.js';
import {
  type BlobFile,
  type BlobStore,
  INLINE_MAX_BYTES,
  blobStoreAway,
  readBlob,
} from './blobs.js';
import { idTime } from './ids.js';

/** Where the raw bytes of an accepted mail lie; this travels in the job. */
export type RawReference = { in: 'redis' } | { in: 'blob'; key: string };

/** The bytes of a mail, or the file they are in. */
export type RawSource = Buffer | BlobFile;

export interface RawMail {
  /** Keeps the bytes durably where {@link rawReference} says; a small mail's command is issued in the calling tick. */
  put: (ingestId: string, chunks: readonly Buffer[], size: number) => Promise<RawReference>;
  /** The bytes, or null when they are gone. */
  get: (ingestId: string, reference: RawReference) => Promise<Buffer | null>;
  /** The same, or the file where the bytes lie in one. */
  find: (ingestId: string, reference: RawReference) => Promise<RawSource | null>;
  /** Forgets a mail that is stored (or was never queued). A blob stays: it is the stored source. */
  settle: (ingestId: string) => Promise<void>;
  /** Counts a mail as quarantined from now on; resolves to the bytes of all that are. */
  setAside: (ingestId: string) => Promise<number>;
  /** Ids of mail that has waited since before `time` (ms since 1970), a page at a time. */
  waitingSince: (time: number) => AsyncIterable<string[]>;
  /** Whether more bytes wait, or are quarantined, than `INGEST_MAX_QUEUED_BYTES` allows. */
  isFull: () => Promise<boolean>;
  /** What waits, and what is in quarantine. */
  totals: () => Promise<Record<'waiting' | 'quarantined', { mails: number; bytes: number }>>;
}

const ACCEPT = `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('INCRBY', KEYS[2], ARGV[2])
if ARGV[3] ~= '' then redis.call('SET', KEYS[3], ARGV[3]) end
return 1`;

const SETTLE = `
local size = redis.call('HGET', KEYS[1], ARGV[1])
if size then
  redis.call('HDEL', KEYS[1], ARGV[1])
  local counter = redis.call('SREM', KEYS[4], ARGV[1]) == 1 and KEYS[5] or KEYS[2]
  redis.call('DECRBY', counter, size)
end
redis.call('UNLINK', KEYS[3])
return 1`;

const SET_ASIDE = `
local size = redis.call('HGET', KEYS[1], ARGV[1])
if size and redis.call('SADD', KEYS[3], ARGV[1]) == 1 then
  redis.call('DECRBY', KEYS[2], size)
  redis.call('INCRBY', KEYS[4], size)
end
return tonumber(redis.call('GET', KEYS[4]) or '0')`;

interface RawMailCommands {
  mayflyAccept: (...args: (string | number | Buffer)[]) => Promise<unknown>;
  mayflySettle: (...args: string[]) => Promise<unknown>;
  mayflySetAside: (...args: string[]) => Promise<number>;
}

export function openRawMail(
  redis: RedisClient,
  prefix: string,
  blobs: BlobStore,
  maxQueuedBytes: number,
): RawMail {
  redis.defineCommand('mayflyAccept', { numberOfKeys: 3, lua: ACCEPT });
  redis.defineCommand('mayflySettle', { numberOfKeys: 5, lua: SETTLE });
  redis.defineCommand('mayflySetAside', { numberOfKeys: 4, lua: SET_ASIDE });
  const scripts = redis as RedisClient & RawMailCommands;

  const sizes = `${prefix}:raw:sizes`;
  const queuedBytes = `${prefix}:raw:bytes`;
  const aside = `${prefix}:raw:quarantined`;
  const asideBytes = `${prefix}:raw:quarantined-bytes`;
  const valueKey = (ingestId: string) => `${prefix}:raw:${ingestId}`;
  const accept = (ingestId: string, size: number, value: Buffer | '') =>
    scripts.mayflyAccept(sizes, queuedBytes, valueKey(ingestId), ingestId, size, value);

  /** Bytes of mails that are being put into the blob store. */
  let arriving = 0;

  /**
   * To be stored, a mail takes as much room again for its attachments. A disk that was let fill up with mail that
   * waits could never be emptied.
   */
  const needRoom = async () => {
    const room = await blobs.room();
    if (room === Infinity) return;
    const waiting = await redis.get(queuedBytes);
    if (room < 2 * arriving + Number(waiting)) {
      throw blobStoreAway(new Error(`room for ${room} bytes only, and ${waiting ?? 0} wait`));
    }
  };

  const get = (ingestId: string, reference: RawReference) =>
    reference.in === 'redis' ? redis.getBuffer(valueKey(ingestId)) : readBlob(blobs, reference.key);

  return {
    async put(ingestId, chunks, size) {
      const reference = rawReference(ingestId, size);
      if (reference.in === 'redis') {
        await accept(ingestId, size, Buffer.concat(chunks));
      } else {
        arriving += size;
        try {
          await needRoom();
          await blobs.put(reference.key, chunks);
        } finally {
          arriving -= size;
        }
        await accept(ingestId, size, '');
      }
      return reference;
    },
    get,
    find: (ingestId, reference) =>
      reference.in === 'blob' && blobs.file ? blobs.file(reference.key) : get(ingestId, reference),
    async settle(ingestId) {
      const keys = [sizes, queuedBytes, valueKey(ingestId), aside, asideBytes];
      await scripts.mayflySettle(...keys, ingestId);
    },
    setAside: (ingestId) => scripts.mayflySetAside(sizes, queuedBytes, aside, asideBytes, ingestId),
    async *waitingSince(time) {
      let cursor = '0';
      do {
        const [next, flat] = await redis.hscan(sizes, cursor, 'COUNT', 500);
        cursor = next;
        const ids = flat.filter((_, index) => index % 2 === 0).filter((id) => idTime(id) < time);
        if (ids.length > 0) yield ids;
      } while (cursor !== '0');
    },
    async isFull() {
      const counts = await redis.mget(queuedBytes, asideBytes);
      return counts.some((bytes) => Number(bytes) > maxQueuedBytes);
    },
    async totals() {
      const [all, set, counts] = await Promise.all([
        redis.hlen(sizes),
        redis.scard(aside),
        redis.mget(queuedBytes, asideBytes),
      ]);
      const [waitingBytes, quarantinedBytes] = counts.map(Number);
      return {
        waiting: { mails: Math.max(0, all - set), bytes: waitingBytes ?? 0 },
        quarantined: { mails: set, bytes: quarantinedBytes ?? 0 },
      };
    },
  };
}

/** Where the bytes of a mail of this size are put; known before they are, so that its job can be added meanwhile. */
export function rawReference(ingestId: string, size: number): RawReference {
  return size <= INLINE_MAX_BYTES ? { in: 'redis' } : { in: 'blob', key: rawBlobKey(ingestId) };
}
