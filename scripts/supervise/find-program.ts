import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the first of these programs found in `path` (a PATH), or null. */
export function findProgram(path: string, names: string[]): string | null {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
