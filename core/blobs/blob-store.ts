/**
 * The BlobStore contract: large values by key. A value is durable once `put` has resolved. Reading an absent key gives
 * `null`, deleting one succeeds. While the store is away or full, every operation rejects with an {@link AppError}
 * `unavailable`.
 */
import type { Readable } from 'node:stream';
import type { DownloadHeaders } from './download-headers.js';
import { AppError } from '../errors.js';

export interface Blob {
  size: number;
  /** Reads ahead only a little: a blob is never whole in memory because of it. */
  stream: Readable;
}

export interface BlobStore {
  /** Stores the bytes whole, or not at all. A second `put` of a key replaces the first. */
  put: (key: string, bytes: Uint8Array | readonly Uint8Array[]) => Promise<void>;
  get: (key: string) => Promise<Blob | null>;
  delete: (key: string) => Promise<void>;
  /**
   * Keys below a folder that were last written before `time` (ms since 1970), a page at a time. What is
   * put or deleted meanwhile may or may not be among them.
   */
  olderThan: (folder: string, time: number) => AsyncIterable<string[]>;
  /** A URL from which anybody gets the blob for so many seconds; null where the store serves only us. */
  readonly link:
    ((key: string, headers: DownloadHeaders, seconds: number) => Promise<string>) | null;
  /** The file that a blob is, or null when it is not there; null where blobs are no files. */
  readonly file: ((key: string) => Promise<BlobFile | null>) | null;
  /** Bytes there is room for; `Infinity` where that is nobody's to know. */
  room: () => Promise<number>;
  /** Rejects when the store cannot be used. */
  check: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * For another process that reads a large blob and makes others of it: paths go there and back, not bytes.
 * A 5 MB mail thus costs two thirds of the CPU.
 */
export interface BlobFile {
  path: string;
  /** A folder for drafts, which may have to be made; what is left there is swept like a blob of nobody. */
  drafts: string;
  /** Makes the draft at a path the blob of this key, as `put` would have. */
  adopt: (draft: string, key: string) => Promise<void>;
}

/** The most bytes of one value in the database or Redis; larger values go to the blob store. */
export const INLINE_MAX_BYTES = 1_048_576;

/** The most keys on a page of {@link BlobStore.olderThan}; S3 gives no more. */
export const KEYS_A_PAGE = 1000;

/** The blob's bytes in memory; for callers that know the size is bounded. */
export async function readBlob(blobs: BlobStore, key: string): Promise<Buffer | null> {
  const blob = await blobs.get(key);
  if (!blob) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of blob.stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What a blob store throws for any fault of its own. */
export function blobStoreAway(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The blob store is temporarily unavailable. Retry in a few seconds.',
    { cause },
  );
}
