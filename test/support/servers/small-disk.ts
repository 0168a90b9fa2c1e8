/** A file system of a few megabytes, for tests of what happens when a disk is full. Needs root and mount. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SmallDisk {
  /** Takes all the space there is left. */
  fill: () => Promise<void>;
  /** Gives that space back. */
  free: () => Promise<void>;
  unmount: () => Promise<void>;
}

/** Mounts one over the folder; null where that is not allowed. */
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
      // It takes what fits, and fails for the rest.
      await writeFile(ballast, all).catch(() => undefined);
    },
    free: () => rm(ballast, { force: true }),
    unmount: async () => {
      await run('umount', ['-l', folder]);
    },
  };
}
