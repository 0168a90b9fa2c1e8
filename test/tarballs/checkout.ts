/** A copy of the repository, so that its commands write beside it and not beside the repository. */
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { ROOT } from '../../core/root.ts';

/** What `scripts/install` and `scripts/build` make, and what tests leave. */
const LEFT_OUT = new Set(['.git', '.node', 'node_modules', 'dist', 'data', 'coverage']);

/** @returns its folder, `mayfly` in the given one. */
export async function makeCheckout(folder: string): Promise<string> {
  const checkout = join(folder, 'mayfly');
  await cp(ROOT, checkout, {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(basename(source)),
  });
  // Installed once for all. `.node/default` names the Node.js of a checkout, which it can change.
  await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await mkdir(join(checkout, '.node'));
  for (const name of await readdir(join(ROOT, '.node')).catch(() => [])) {
    if (name === 'default') continue;
    await symlink(join(ROOT, '.node', name), join(checkout, '.node', name));
  }
  return checkout;
}

/** The folders of PATH that the machine has without the repository. */
export function pathOfMachine(path = ''): string {
  return path
    .split(delimiter)
    .filter((folder) => !folder.startsWith(ROOT))
    .join(delimiter);
}
