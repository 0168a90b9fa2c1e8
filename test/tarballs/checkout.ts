/** A copy of the repository, so that its commands write beside it and not beside the repository. */
import { cp, mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ROOT } from '../support/docs/pages.js';

/** What `scripts/install` and `scripts/build` make, and what tests leave. */
const LEFT_OUT = new Set(['.git', '.node', 'node_modules', 'dist', 'data', 'coverage']);
/** Installed once for all. */
const SHARED = ['.node', 'node_modules'];

/** @returns its folder, `mayfly` in the given one. */
export async function makeCheckout(folder: string): Promise<string> {
  const checkout = join(folder, 'mayfly');
  await cp(ROOT, checkout, {
    recursive: true,
    filter: (source) => !LEFT_OUT.has(basename(source)),
  });
  for (const name of SHARED) {
    await mkdir(join(ROOT, name), { recursive: true });
    await symlink(join(ROOT, name), join(checkout, name));
  }
  return checkout;
}
