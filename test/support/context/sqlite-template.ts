import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../core/root.ts';
import { migrateStore } from '../../../db/open.ts';
import { makeTempDir } from './temp-dir.ts';

let template: Promise<Buffer> | undefined;

/** Creates an empty migrated SQLite database at this path. Migrations run once per process. */
export async function makeSqliteDatabase(path: string): Promise<void> {
  template ??= makeTemplate();
  await writeFile(path, await template);
}

/** The file after its last connection is closed, when it has no write-ahead log. */
async function makeTemplate(): Promise<Buffer> {
  const folder = await makeTempDir();
  try {
    const path = join(folder.path, 'template.sqlite');
    await migrateStore({ database: { kind: 'sqlite', path } }, ROOT);
    return await readFile(path);
  } finally {
    await folder.remove();
  }
}
