/**
 * Blobs as files under one folder. A blob appears by rename, after its bytes are on the disk, and the
 * folder entry is flushed too: what Postfix does for its queue files, and for the same reason.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobStore } from './blobs.js';

const KEY = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/;

/** A store in `root`, which is made on the first use. Keys are lower-case words between slashes. */
export function openDiskBlobs(root: string): BlobStore {
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw new Error(`not a blob key: ${key}`);
    return join(root, key);
  };

  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const draft = `${path}.${randomUUID()}.tmp`;
      await makeFolder(dirname(path), root);
      try {
        await writeDurably(draft, bytes instanceof Uint8Array ? [bytes] : bytes);
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async get(key) {
      try {
        const file = await open(pathOf(key), 'r');
        const { size } = await file.stat();
        return { size, stream: createReadStream('', { fd: file }) };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    async check() {
      await mkdir(root, { recursive: true });
      await access(root, constants.R_OK | constants.W_OK);
    },
  };
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

/** Makes a folder and flushes each parent that got a new entry, up to and including `root`'s. */
async function makeFolder(folder: string, root: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let at = folder; at.length >= Math.min(first.length, root.length); at = dirname(at)) {
    await syncFolder(dirname(at));
    if (at === first) return;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
