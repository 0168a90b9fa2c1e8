/**
 * Copies one blob store into another. Blobs are immutable and written atomically, so blobs that the
 * target already has are skipped. The sweep of unused blobs removes those deleted from the source
 * during the copy.
 */
import pLimit from 'p-limit';
import { type BlobStore, readBlob } from '../../core/blobs/blob-store.ts';

/** A blob has up to 25 MiB. */
const AT_ONCE = 4;
const FOLDERS = ['raw', 'attachments'] as const;

export interface MovedBlobs {
  copied: number;
  /** Blobs in both stores after the copy. */
  total: number;
  /** Blobs added to the source during the copy. */
  late: number;
}

export async function moveBlobs(from: BlobStore, to: BlobStore): Promise<MovedBlobs> {
  const limit = pLimit(AT_ONCE);
  const moved = { copied: 0, total: 0, late: 0 };
  for (const folder of FOLDERS) {
    const there = await keysIn(to, folder);
    for await (const keys of from.olderThan(folder, Infinity)) {
      const missing = keys.filter((key) => !there.has(key));
      const copies = missing.map((key) => limit(() => copy(from, to, key)));
      moved.copied += (await Promise.all(copies)).filter(Boolean).length;
    }
    const [now, here] = [await keysIn(to, folder), await keysIn(from, folder)];
    const late = [...here].filter((key) => !now.has(key)).length;
    moved.late += late;
    moved.total += here.size - late;
  }
  return moved;
}

/** Resolves to false if the blob was deleted from the source. */
async function copy(from: BlobStore, to: BlobStore, key: string): Promise<boolean> {
  const bytes = await readBlob(from, key);
  if (bytes) await to.put(key, bytes);
  return bytes !== null;
}

async function keysIn(blobs: BlobStore, folder: string): Promise<Set<string>> {
  const all = new Set<string>();
  for await (const keys of blobs.olderThan(folder, Infinity)) for (const key of keys) all.add(key);
  return all;
}
