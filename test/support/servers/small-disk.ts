/** A file system of a few megabytes for tests with a full disk. Requires root and mount. */
import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CHUNKS = [1024 * 1024, 4096, 1];

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
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]);
  } catch {
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    fill: async () => {
      const file = await open(ballast, 'w');
      for (const size of CHUNKS) {
        const chunk = Buffer.alloc(size, 1);
        const fits = () =>
          file.write(chunk).then(
            ({ bytesWritten }) => bytesWritten === size,
            () => false,
          );
        while (await fits());
      }
      await file.close();
    },
    free: () => rm(ballast, { force: true }),
    unmount: async () => {
      await run('umount', ['-l', folder]);
    },
  };
}
