/** Where the files of the product are. A program runs from its source or as a bundle in `dist/`. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** In a bundle, the place of this file is `dist/core/root.js` (scripts/bundle.mjs). */
const RUNS_FROM_SOURCE = import.meta.url.endsWith('.ts');

/** Root of the checkout or of the installed package. Ends with a slash. */
export const ROOT = fileURLToPath(new URL(RUNS_FROM_SOURCE ? '..' : '../..', import.meta.url));

/**
 * The file of a program, relative to {@link ROOT}, in the form in which this process runs.
 * @param program without an extension, such as `api/server`.
 */
export function programFile(program: string): string {
  return RUNS_FROM_SOURCE ? `${program}.ts` : join('dist', `${program}.js`);
}
