import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths of the files below a folder that were last written before `time`; it may vanish meanwhile. */
export async function* agedFiles(folder: string, time: number): AsyncGenerator<string> {
  const entries = await unlessMissing(opendir(folder));
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* agedFiles(path, time);
    } else {
      const stats = await unlessMissing(lstat(path));
      if (stats && stats.mtimeMs < time) yield path;
    }
  }
}

async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | null> {
  try {
    return await value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
