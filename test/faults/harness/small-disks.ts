/** Small file systems that tests can fill, one for each component that writes. Requires root. */
import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTempDir } from '../../support/context/temp-dir.ts';

const run = promisify(execFile);

const SIZE = '256m';
const CHUNKS = [1024 * 1024, 4096, 1];

/** A folder of the data directory on a separate file system. */
export type Disk = 'redis' | 'blobs' | 'database';
const DISKS: Disk[] = ['redis', 'blobs', 'database'];

/** The setting that puts the database on its file system. */
export const databaseOn = (dataDir: string) =>
  `sqlite:${join(dataDir, 'database', 'mayfly.sqlite')}`;

/** Mounts all file systems in a data directory; resolves to a function that unmounts them. */
export async function mountDisks(dataDir: string): Promise<() => Promise<void>> {
  const folders = DISKS.map((disk) => join(dataDir, disk));
  for (const folder of folders) await mount(folder);
  return async () => {
    for (const folder of folders) await run('umount', ['--lazy', folder]);
  };
}

/** Why file systems cannot be mounted, or null. */
export async function cannotMount(): Promise<string | null> {
  const { path, remove } = await makeTempDir();
  try {
    const folder = join(path, 'disk');
    await mount(folder);
    await run('umount', [folder]);
    return null;
  } catch {
    return 'this user may not mount a tmpfs';
  } finally {
    await remove();
  }
}

/** Fills a file system completely until `during` resolves. */
export async function whileFull(
  dataDir: string,
  disk: Disk,
  during: () => Promise<unknown>,
): Promise<void> {
  const filler = join(dataDir, disk, 'filler');
  try {
    await fill(filler);
    await during();
  } finally {
    await rm(filler, { force: true });
  }
}

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of CHUNKS) {
      const chunk = Buffer.alloc(size, 1);
      while (await file.write(chunk).then(isWhole(size), () => false));
    }
  } finally {
    await file.close();
  }
}

const isWhole =
  (size: number) =>
  ({ bytesWritten }: { bytesWritten: number }) =>
    bytesWritten === size;

async function mount(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=700`, 'tmpfs', folder]);
}
