import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateStore } from '../../../db/open.js';
import { makeTempDir } from './temp-dir.js';

let template: Promise<Buffer> | undefined;

/** Makes a migrated SQLite database without a row at this path: migrations run once in a process. */
export async function makeSqliteDatabase(path: string): Promise<void> {
  template ??= makeTemplate();
  await writeFile(path, await template);
}

/** The file as it is once its last connection has closed, when it has no write-ahead log beside it. */
async function makeTemplate(): Promise<Buffer> {
  const folder = await makeTempDir();
  try {
    const path = join(folder.path, 'template.sqlite');
    await migrateStore({ database: { kind: 'sqlite', path } });
    return await readFile(path);
  } finally {
    await folder.remove();
  }
}
