/**
 * Blobs as files below one folder. A blob is written to a draft, synced and renamed, and its folder
 * entry is synced, as Postfix does for its queue files. Drafts left by a crash are listed like
 * other old blobs.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  access,
  constants,
  lstat,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobStore, KEYS_A_PAGE, blobStoreUnavailable } from './blob-store.ts';
import type { Config } from '../config/config.ts';

const KEY = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/;

/** Opens the configured blob store: an S3 bucket, or a folder of the data directory. */
export async function openBlobs(config: Pick<Config, 'dataDir' | 's3'>): Promise<BlobStore> {
  if (config.s3 === null) return openDiskBlobs(join(config.dataDir, 'blobs'));
  // Loaded on demand: the AWS SDK costs start time and memory.
  const { openS3Blobs } = await import('./s3.ts');
  return openS3Blobs(config.s3);
}

/**
 * Opens a store in `root`, which is created on first use. Keys are lower-case words separated by
 * slashes.
 */
export function openDiskBlobs(root: string, pageSize = KEYS_A_PAGE): BlobStore {
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error(`not a blob key: ${key}`);
    return join(root, key);
  };
  const drafts = join(root, 'drafts');

  /** Turns a draft into the blob of this key once its bytes are on disk. */
  const become = async (draft: string, key: string, toDisk: () => Promise<void>) => {
    const path = pathOf(key);
    try {
      await toDisk();
      await makeFolder(dirname(path), root);
      await rename(draft, path);
      await sync(dirname(path));
    } catch (error) {
      await discard(draft);
      throw blobStoreUnavailable(error);
    }
  };
  const adopt = (draft: string, key: string) => become(draft, key, () => sync(draft));

  return {
    async put(key, bytes) {
      const draft = join(drafts, randomUUID());
      await become(draft, key, async () => {
        await makeFolder(drafts, root);
        await writeDurably(draft, bytes instanceof Uint8Array ? [bytes] : bytes);
      });
    },
    async get(key) {
      const path = pathOf(key);
      try {
        const file = await open(path, 'r');
        try {
          const { size } = await file.stat();
          return { size, stream: createReadStream('', { fd: file }) };
        } catch (error) {
          await file.close();
          throw error;
        }
      } catch (error) {
        if (isMissing(error)) return null;
        throw blobStoreUnavailable(error);
      }
    },
    async delete(key) {
      const path = pathOf(key);
      try {
        await rm(path, { force: true });
      } catch (error) {
        throw blobStoreUnavailable(error);
      }
    },
    async *olderThan(folder, time) {
      const start = pathOf(folder);
      try {
        let page: string[] = [];
        for await (const path of filesOlderThan(start, time)) {
          page.push(`${folder}${path.slice(start.length)}`);
          if (page.length < pageSize) continue;
          yield page;
          page = [];
        }
        if (page.length > 0) yield page;
      } catch (error) {
        throw blobStoreUnavailable(error);
      }
    },
    link: null,
    async file(key) {
      const path = pathOf(key);
      try {
        await stat(path);
      } catch (error) {
        if (isMissing(error)) return null;
        throw blobStoreUnavailable(error);
      }
      return { path, drafts, adopt };
    },
    async room() {
      try {
        await makeFolder(root, root);
        const { bavail, bsize } = await statfs(root);
        return bavail * bsize;
      } catch (error) {
        throw blobStoreUnavailable(error);
      }
    },
    async check() {
      try {
        await mkdir(root, { recursive: true });
        await access(root, constants.R_OK | constants.W_OK);
      } catch (error) {
        throw blobStoreUnavailable(error);
      }
    },
    async close() {
      // no file stays open between two calls
    },
  };
}

/**
 * Paths of the files below a folder that were last written before `time`. Files that disappear
 * meanwhile are skipped.
 */
async function* filesOlderThan(folder: string, time: number): AsyncGenerator<string> {
  const entries = await unlessMissing(opendir(folder));
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* filesOlderThan(path, time);
    } else {
      const stats = await unlessMissing(lstat(path));
      if (stats && stats.mtimeMs < time) yield path;
    }
  }
}

async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | null> {
  try {
    return await value;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function writeDurably(path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for (const chunk of chunks) await file.writeFile(chunk);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Creates a folder and flushes each parent with a new entry, including the parent of `root`. */
async function makeFolder(folder: string, root: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let at = folder; at.length >= Math.min(first.length, root.length); at = dirname(at)) {
    await sync(dirname(at));
    if (at === first) return;
  }
}

/** Flushes a file or the entries of a folder, regardless of which process wrote them. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A draft that cannot be removed is left to the sweep. */
async function discard(draft: string): Promise<void> {
  await rm(draft, { force: true }).catch(() => undefined);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
