/**
 * Joins the declarations in dist/ to one file, which compresses better than many. It exports what
 * src/index.ts exports.
 */
import { readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';

const FOLDER = new URL('dist/', import.meta.url);
const at = (name) => new URL(name, FOLDER);
/** The compiler keeps the extension of the source in relative imports. */
const read = async (name) =>
  (await readFile(at(name), 'utf8')).replace(/(from '\..*)\.ts';/g, "$1.js';");

/** The entries, which stay files. */
const ENTRIES = ['index.d.ts', 'cypress.d.ts', 'playwright.d.ts', 'vitest.d.ts'];
/** What only the code uses. */
const PRIVATE = ['bodies', 'limits', 'near-misses', 'retrying-fetch', 'search', 'server-events'];
/** The folders of src/. */
const FOLDERS = ['connection', 'events', 'waiting'];
const CONTRACT = 'contract.gen.d.ts';

const contract = await readFile(new URL('src/contract.gen.ts', import.meta.url), 'utf8');
await writeFile(
  at(CONTRACT),
  contract
    .replace(/^(?:export const|\/\*\*) .*\n/gm, '')
    .replaceAll('\n', '')
    .replaceAll(';}', '}'),
);
const imports = new Set(["import type { components, paths } from './contract.gen.js';\n"]);
const parts = [];
for (const name of (await readdir(FOLDER, { recursive: true })).sort()) {
  if (!name.endsWith('.d.ts') || ENTRIES.includes(name) || name === CONTRACT) continue;
  const text = await read(name);
  await rm(at(name));
  if (PRIVATE.includes(basename(name, '.d.ts'))) continue;
  for (const [line, from] of text.matchAll(/^import .* from '(.*)';\n/gm)) {
    if (!from.startsWith('.')) imports.add(line);
  }
  parts.push(text.replace(/^import .*\n/gm, '').replace(/^export (?:\{\};\n)?/gm, ''));
}
const exported = [
  ...(await read('index.d.ts')).matchAll(/^export (type )?\{ (.+?),? \}/gm),
].flatMap(([, type = '', names]) => names.split(', ').map((name) => `${type}${name}`));
parts.push(`export { ${exported.join(', ')} };\n`);
await writeFile(at('index.d.ts'), [...imports, ...parts].join('').replace(/^ +/gm, ''));
for (const name of ENTRIES.slice(1)) await writeFile(at(name), await read(name));
for (const folder of FOLDERS) await rmdir(at(folder));
// Vitest is an ES module only.
await rename(at('vitest.d.ts'), at('vitest.d.mts'));
