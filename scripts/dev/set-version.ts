/**
 * Sets the version in every file that repeats it: `npm run version:set -- VERSION [FOLDER]`. The
 * version of package.json is the one that counts. See docs/releasing.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';

/** What stands around the version. Each place must exist. */
const PLACES: [file: string, before: string, after: string][] = [
  ['package.json', '\n  "version": "', '"'],
  ['packages/client/package.json', '\n  "version": "', '"'],
  ['packages/cli/package.json', '\n  "version": "', '"'],
  ['packages/cli/package.json', '"@mayfly/client": "', '"'],
  ['package-lock.json', '\n  "version": "', '"'],
  ['package-lock.json', '"name": "mayfly",\n      "version": "', '"'],
  ['package-lock.json', '"name": "@mayfly/client",\n      "version": "', '"'],
  ['packages/python/pyproject.toml', '\nversion = "', '"'],
  ['packages/python/src/mayfly_mail/version.py', '\nVERSION = "', '"'],
  ['openapi.yaml', '\n  version: ', '\n'],
  ['examples/sign-up/package.json', 'mayfly-client-', '.tgz'],
  ['examples/webhooks/package.json', 'mayfly-client-', '.tgz'],
];
const SEMANTIC = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

const [version = '', folder = ROOT] = process.argv.slice(2);
if (!SEMANTIC.test(version)) {
  process.stderr.write('usage: npm run version:set -- VERSION, such as 1.2.0\n');
  process.exit(2);
}
for (const [file, before, after] of PLACES) {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const start = text.indexOf(before) + before.length;
  if (start < before.length) throw new Error(`${file} has no ${JSON.stringify(before)}`);
  const end = text.indexOf(after, start);
  writeFileSync(path, text.slice(0, start) + version + text.slice(end));
}
