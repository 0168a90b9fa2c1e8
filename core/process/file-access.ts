/**
 * Keeps the files of DATA_DIR from other users of the machine. The mode of DATA_DIR itself is the
 * operator's: group bits are kept below a folder that its group can write to, because processes of
 * several users may share it.
 */
import { chmodSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';

const OTHERS = 0o007;
const GROUP_AND_OTHERS = 0o077;
const GROUP_WRITE = 0o020;

/** What Mayfly makes directly in DATA_DIR. No one reads below a folder that is closed. */
const ENTRIES = ['blobs', 'redis', 'tls', 'encryption-keys', 'operator-password'];
/** Files of SQLite beside the database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/**
 * Sets the umask of this process and of the programs that it starts, and closes the files and
 * folders that an earlier version left open. What belongs to another user stays as it is.
 */
export function closeToOthers({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): void {
  const before = process.umask(deniedIn(dataDir));
  process.umask(before | deniedIn(dataDir));
  for (const name of ENTRIES) closeFile(join(dataDir, name));
  if (database.kind !== 'sqlite') return;
  for (const suffix of SUFFIXES) closeFile(`${database.path}${suffix}`);
}

function deniedIn(folder: string): number {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & GROUP_WRITE) === 0 ? GROUP_AND_OTHERS : OTHERS;
}

function closeFile(path: string): void {
  try {
    const { mode } = statSync(path);
    const denied = deniedIn(dirname(path));
    if ((mode & denied) !== 0) chmodSync(path, mode & 0o7777 & ~denied);
  } catch {
    // It does not exist yet, or belongs to another user.
  }
}
