/**
 * The BlobStore contract: large values by key. A value is durable once `put` has resolved. Reading
 * an absent key resolves to null; deleting one succeeds. If the store is unreachable or full,
 * operations reject with an {@link AppError} `unavailable`.
 */
import type { Readable } from 'node:stream';
import type { DownloadHeaders } from './download-headers.ts';
import { AppError } from '../errors.ts';

export interface Blob {
  size: number;
  /** Reads ahead by a small buffer only, so a blob is never in memory as a whole. */
  stream: Readable;
}

export interface BlobStore {
  /** Stores the bytes atomically. A second `put` of a key replaces the first. */
  put: (key: string, bytes: Uint8Array | readonly Uint8Array[]) => Promise<void>;
  get: (key: string) => Promise<Blob | null>;
  delete: (key: string) => Promise<void>;
  /**
   * Keys below a folder that were last written before `time` (ms since 1970), in pages. Concurrent
   * changes may or may not be included.
   */
  olderThan: (folder: string, time: number) => AsyncIterable<string[]>;
  /**
   * A public URL of the blob, valid for the given number of seconds; null if the store has no
   * public URLs.
   */
  readonly link:
    ((key: string, headers: DownloadHeaders, seconds: number) => Promise<string>) | null;
  /**
   * The file of a blob, or null if it does not exist. The member is null if blobs are not files.
   */
  readonly file: ((key: string) => Promise<BlobFile | null>) | null;
  /** Free space in bytes; `Infinity` if it is not known. */
  room: () => Promise<number>;
  /** Rejects if the store is not usable. */
  check: () => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Access to a large blob as a file, for another process that reads it and writes new blobs: only
 * paths are passed between the processes. This saves a third of the CPU time of a 5 MB mail.
 */
export interface BlobFile {
  path: string;
  /**
   * The folder for drafts, which may not exist yet. Leftover drafts are swept like orphaned blobs.
   */
  drafts: string;
  /** Turns the draft at a path into the blob of this key, with the guarantees of `put`. */
  adopt: (draft: string, key: string) => Promise<void>;
}

/** The bytes of a mail, or the file with them. */
export type RawSource = Buffer | BlobFile;

/** Maximum size of a value in the database or Redis; larger values go to the blob store. */
export const INLINE_MAX_BYTES = 1_048_576;

/** Maximum number of keys per page of {@link BlobStore.olderThan}; the limit of S3. */
export const KEYS_A_PAGE = 1000;

/** Reads a blob into memory, for callers that know the size is limited. */
export async function readBlob(blobs: BlobStore, key: string): Promise<Buffer | null> {
  const blob = await blobs.get(key);
  if (!blob) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of blob.stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A fault of a blob store, with a text for the operator. */
export class BlobStoreFault extends Error {
  override name = 'BlobStoreFault';
  /** Whether it lasts until the settings of the store or of Mayfly are changed. */
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent: boolean, options?: { cause: unknown }) {
    super(message, options);
    this.isPermanent = isPermanent;
  }
}

/** The error of a blob store for any fault of its own. */
export function blobStoreUnavailable(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The blob store is temporarily unavailable. Retry in a few seconds.',
    { cause },
  );
}
