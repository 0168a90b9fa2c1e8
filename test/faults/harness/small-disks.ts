/** Small file systems that tests can fill, one for each component that writes. Requires root. */
import { join } from 'node:path';
import { makeTempDir } from '../../support/context/temp-dir.ts';
import { type SmallDisk, mountSmallDisk } from '../../support/servers/small-disk.ts';

const MEGABYTES = 256;

/** A folder of the data directory on a separate file system. */
export type Disk = 'redis' | 'blobs' | 'database';

/** By their folders. */
const mounted = new Map<string, SmallDisk>();

/** The setting that puts the database on its file system. */
export const databaseOn = (dataDir: string) =>
  `sqlite:${join(dataDir, 'database', 'mayfly.sqlite')}`;

/** Mounts all file systems in a data directory; resolves to a function that unmounts them. */
export async function mountDisks(dataDir: string): Promise<() => Promise<void>> {
  const folders = (['redis', 'blobs', 'database'] satisfies Disk[]).map((disk) =>
    join(dataDir, disk),
  );
  for (const folder of folders) mounted.set(folder, (await mountSmallDisk(folder, MEGABYTES))!);
  return async () => {
    for (const folder of folders) await mounted.get(folder)?.unmount();
  };
}

/** Why file systems cannot be mounted, or null. */
export async function cannotMount(): Promise<string | null> {
  const { path, remove } = await makeTempDir();
  const disk = await mountSmallDisk(join(path, 'disk'), MEGABYTES);
  await disk?.unmount();
  await remove();
  return disk ? null : 'this user may not mount a tmpfs';
}

/** Fills a file system completely until `during` resolves. */
export async function whileFull(
  dataDir: string,
  disk: Disk,
  during: () => Promise<unknown>,
): Promise<void> {
  const { fill, free } = mounted.get(join(dataDir, disk))!;
  try {
    await fill();
    await during();
  } finally {
    await free();
  }
}
