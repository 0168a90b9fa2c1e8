/**
 * Prepares the folder that `npm pack` packs: the built product, a package.json for those who install
 * it, and the packages that it loads, in the versions of the lock file. Usage: stage FOLDER
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { runtimePackages } from './runtime-packages.js';

const PARTS = [
  ...['api', 'core', 'db', 'haraka-plugin', 'jobs', 'scripts', 'dashboard', 'reference'].map(
    (folder) => `dist/${folder}`,
  ),
  'dist/openapi.json',
  ...['openapi.yaml', 'Procfile', 'LICENSE', 'db/migrations'],
];
const LEFT_OUT = [
  /^dist\/(?:scripts\/package|db\/drizzle\.config\.js)/,
  // What no program loads: source maps, types, pages, settings of editors.
  /\.(?:map|ts|mts|cts|md|yml|tsbuildinfo|flow)$|\/\.(?!bin)[^/]*$/,
  /^node_modules\/better-sqlite3\/(?:deps|src|binding\.gyp)/,
];

const COMMAND = 'dist/scripts/mayfly.js';
const manifest = z.looseObject({
  ...{ name: z.string(), version: z.string(), description: z.string(), license: z.string() },
  ...{ type: z.string(), engines: z.record(z.string(), z.string()) },
  dependencies: z.record(z.string(), z.string()),
});

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: stage FOLDER');
rmSync(folder, { recursive: true, force: true });
for (const part of PARTS) copy(part);

const { name, version, description, license, type, engines, dependencies } = manifest.parse(
  json('package.json'),
);
for (const place of runtimePackages(json('package-lock.json'), Object.keys(dependencies))) {
  // A package for another platform is in the lock file and not on this machine.
  if (existsSync(place)) copy(place, `${place}/node_modules`);
}
chmodSync(join(folder, COMMAND), 0o755);
cpSync('docs/package.md', join(folder, 'README.md'));
const installed = {
  ...{ name, version, description, license, private: true, type, engines },
  bin: { mayfly: COMMAND },
  dependencies,
  bundleDependencies: Object.keys(dependencies),
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(installed, null, 2)}\n`);

function json(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param without a folder that is not copied */
function copy(part: string, without?: string): void {
  const target = join(folder ?? '', part);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(part, target, {
    recursive: true,
    filter: (source) => source !== without && !LEFT_OUT.some((left) => left.test(source)),
  });
}
