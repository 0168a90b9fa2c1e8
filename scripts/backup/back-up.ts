/**
 * Copies the database, then the blobs, to a new folder. A blob is written before the row that
 * refers to it, so every row of the backup finds its blob.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, opendir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Config } from '../../core/config/config.ts';
import { AppError } from '../../core/errors.ts';
import { backUpDatabase } from '../../db/backup.ts';

const KEYS = 'encryption-keys';
/** What `--with-keys` copies from DATA_DIR. The second is absent if it was given as a variable. */
const SECRETS = [KEYS, 'operator-password'];

export interface Backup {
  /** Absolute path. */
  folder: string;
  /** Name of the file with the database. */
  database: string;
  /** Number of files; null if they are in a bucket, which is not copied. */
  blobs: number | null;
  /** Names of the files with secrets. */
  secrets: string[];
}

type Places = Pick<Config, 'database' | 'dataDir' | 's3'>;

/**
 * The service can be running. The folder exists only once the backup is complete, with mode 0700.
 * @param to a folder that does not exist, in one that does
 * @throws {AppError} `invalid_request` if `to` exists or is in DATA_DIR, or if DATA_DIR has no keys
 *   that could be copied. Nothing is written in these cases.
 */
export async function backUp(config: Places, to: string, withKeys: boolean): Promise<Backup> {
  const { dataDir } = config;
  const folder = resolve(to);
  await requireNew(folder, dataDir);
  if (withKeys && !existsSync(join(dataDir, KEYS))) {
    throw new AppError(
      'invalid_request',
      `--with-keys: ${dataDir} has no ${KEYS}. The keys are in the variable ENCRYPTION_KEYS of the service: store it in another place`,
    );
  }
  const draft = await mkdtemp(`${folder}.incomplete-`); // with mode 0700
  try {
    const database = await backUpDatabase(config.database, draft, process.env);
    const blobs = config.s3 ? null : await copyFolder(join(dataDir, 'blobs'), join(draft, 'blobs'));
    const secrets = withKeys ? SECRETS.filter((name) => existsSync(join(dataDir, name))) : [];
    for (const name of secrets) await copyFile(join(dataDir, name), join(draft, name));
    await rename(draft, folder);
    return { folder, database, blobs, secrets };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function requireNew(folder: string, dataDir: string): Promise<void> {
  if (existsSync(folder)) {
    throw new AppError('invalid_request', `${folder} exists: name a folder that does not exist`);
  }
  const parent = await realpath(dirname(folder)).catch(() => {
    throw new AppError('invalid_request', `${dirname(folder)} does not exist: create it first`);
  });
  const place = join(parent, basename(folder));
  if (!place.startsWith(`${await realpath(dataDir)}${sep}`)) return;
  throw new AppError('invalid_request', `${folder} is in DATA_DIR: name a folder outside it`);
}

/** @returns the number of files, without those that are deleted meanwhile */
async function copyFolder(from: string, to: string): Promise<number> {
  await mkdir(to);
  const entries = await unlessMissing(opendir(from));
  if (!entries) return 0;
  let copied = 0;
  for await (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copied += await copyFolder(source, target);
    else if (await unlessMissing(copyFile(source, target).then(() => true))) copied += 1;
  }
  return copied;
}

async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | null> {
  try {
    return await value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
