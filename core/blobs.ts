/**
 * The BlobStore contract: large bytes by key. Every implementation keeps what `put` resolved for over a
 * power cut, and treats a key that is not there as `null` on reading and as done on deleting.
 */
import type { Readable } from 'node:stream';

export interface Blob {
  size: number;
  stream: Readable;
}

export interface BlobStore {
  /** Stores the bytes whole, or not at all. A second `put` of a key replaces the first. */
  put: (key: string, bytes: Uint8Array | readonly Uint8Array[]) => Promise<void>;
  get: (key: string) => Promise<Blob | null>;
  delete: (key: string) => Promise<void>;
  /** Rejects when the store cannot be used. */
  check: () => Promise<void>;
}

/** What may lie in the database; larger bytes go to the blob store (interface, "Limits": 1 MiB). */
export const INLINE_MAX_BYTES = 1_048_576;

/** The blob's bytes in memory; for callers that know the size is bounded. */
export async function readBlob(blobs: BlobStore, key: string): Promise<Buffer | null> {
  const blob = await blobs.get(key);
  if (!blob) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of blob.stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
