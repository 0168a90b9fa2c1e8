/** A file system of a few megabytes for tests with a full disk. Requires root and mount. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SmallDisk {
  /** Uses all free space. */
  fill: () => Promise<void>;
  /** Frees that space. */
  free: () => Promise<void>;
  unmount: () => Promise<void>;
}

/** Mounts one over the folder; null if mounting is not permitted. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk | null> {
  await mkdir(folder, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  } catch {
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    fill: async () => {
      const all = Buffer.alloc(megabytes * 1024 * 1024);
      // Writes as much as fits, and fails for the rest.
      await writeFile(ballast, all).catch(() => undefined);
    },
    free: () => rm(ballast, { force: true }),
    unmount: async () => {
      await run('umount', ['-l', folder]);
    },
  };
}
