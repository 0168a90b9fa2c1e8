/**
 * Copies what the product needs to run, without the programs, which scripts/bundle.mjs writes: the
 * files of the product, a package.json for those who install it, and the packages that are not in
 * the bundles, in the versions of the lock file. Usage: stage FOLDER
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { runtimePackages } from './runtime-packages.ts';

const PARTS = [
  ...['config', 'plugins'].map((part) => `dist/haraka-plugin/${part}`),
  ...['dashboard', 'reference', 'openapi.json'].map((part) => `dist/${part}`),
  ...['openapi.yaml', 'Procfile', 'LICENSE', 'db/migrations'],
];
const LEFT_OUT = [
  // What no program loads: source maps, types, pages, settings of editors.
  /\.(?:map|ts|mts|cts|md|yml|tsbuildinfo|flow)$|\/\.(?!bin)[^/]*$/,
  /^node_modules\/better-sqlite3\/(?:deps|src|binding\.gyp)/,
];

const COMMAND = 'dist/scripts/mayfly.js';
const manifest = z.looseObject({
  ...{ name: z.string(), version: z.string(), description: z.string(), license: z.string() },
  ...{ type: z.string(), engines: z.record(z.string(), z.string()) },
});

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: stage FOLDER');
rmSync(folder, { recursive: true, force: true });
for (const part of PARTS) copy(part);

const { name, version, description, license, type, engines } = manifest.parse(json('package.json'));
const external = z.array(z.string()).parse(json('dist/packages.json'));
const dependencies: Record<string, string> = {};
for (const place of runtimePackages(json('package-lock.json'), external)) {
  // A package for another platform is in the lock file and not on this machine.
  if (!existsSync(place)) continue;
  copy(place, `${place}/node_modules`);
  const direct = external.find((dependency) => place === `node_modules/${dependency}`);
  if (direct) dependencies[direct] = versionOf(place);
}
const installed = {
  ...{ name, version, description, license, private: true, type, engines },
  bin: { mayfly: COMMAND },
  dependencies,
  bundleDependencies: Object.keys(dependencies),
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(installed, null, 2)}\n`);

function versionOf(place: string): string {
  return z.looseObject({ version: z.string() }).parse(json(`${place}/package.json`)).version;
}

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
