/**
 * A project with the real scripts/build and with stand-ins for the compilers, so that a build takes
 * milliseconds.
 */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from '../context/temp-dir.js';

const SCRIPTS = fileURLToPath(new URL('../../../../scripts/', import.meta.url));
const TSC = 'node_modules/typescript-native/bin/tsc';

/**
 * Copies each source to dist/ as its output. With a .tsbuildinfo it skips sources that have not
 * changed. A file `broken` makes it fail after it has written the outputs.
 */
const TSC_TEXT = `#!/usr/bin/env node
const fs = require('fs');
const { dirname } = require('path');
const project = process.argv[3];
if (project === 'api/dashboard') {
  fs.writeFileSync('dist/.tsbuildinfo-dashboard', fs.readFileSync('api/dashboard/main.tsx'));
  process.exit();
}
const info = 'dist/.tsbuildinfo';
const emitted = !project && fs.existsSync(info) ? JSON.parse(fs.readFileSync(info, 'utf8')) : {};
for (const folder of ['api', 'core', ...(project ? [] : ['test'])]) {
  for (const file of fs.readdirSync(folder, { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const source = folder + '/' + file;
    const text = fs.readFileSync(source, 'utf8');
    if (emitted[source] === text) continue;
    emitted[source] = text;
    const output = 'dist/' + source.replace(/ts$/, 'js');
    fs.mkdirSync(dirname(output), { recursive: true });
    fs.writeFileSync(output, text);
    fs.writeFileSync(output + '.map', text);
  }
}
if (!project) fs.writeFileSync(info, JSON.stringify(emitted));
process.exit(fs.existsSync('broken') ? 1 : 0);
`;

/** Writes the text of all sources of the product to the only program, `dist/api/app.js`. */
const BUNDLE_TEXT = `import fs from 'node:fs';
const sources = ['api', 'core'].flatMap((folder) =>
  fs.readdirSync(folder, { recursive: true }).map((file) => folder + '/' + file));
const texts = sources.filter((file) => file.endsWith('.ts')).map((file) => fs.readFileSync(file, 'utf8'));
fs.mkdirSync('dist/api', { recursive: true });
fs.writeFileSync('dist/api/app.js', texts.sort().join(', '));
process.exit(fs.existsSync('broken') ? 1 : 0);
`;

const FILES: Record<string, string> = {
  'node_modules/.bin/openapi-typescript': '#!/bin/sh\ncp "$1" "$3"\n',
  [TSC]: TSC_TEXT,
  'scripts/bundle.mjs': BUNDLE_TEXT,
  'node_modules/.bin/vite':
    '#!/bin/sh\nmkdir -p dist/dashboard\ncp api/dashboard/main.tsx dist/dashboard/\n',
  'packages/build': '#!/bin/sh\ncd packages/$1 && mkdir -p dist && cp src/index.ts dist/index.js\n',
  'packages/client/src/index.ts': 'client',
  'packages/cli/src/index.ts': 'command',
  ...Object.fromEntries(
    [
      ...['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'],
      ...['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'],
    ].map((file) => [`node_modules/swagger-ui-dist/${file}`, file]),
  ),
  'node_modules/yaml/index.js': 'exports.parse = (text) => text;',
  'openapi.yaml': 'openapi: 3',
  'package.json': '{}',
  'package-lock.json': '{}',
  'tsconfig.json': '{}',
  'api/app.ts': 'app',
  'api/contract/contract.ts': 'contract',
  'api/dashboard/main.tsx': 'main',
  'core/mime/parse-mail.ts': 'mail',
  'core/unused.ts': 'unused',
  'test/mail.test.ts': 'test',
  'haraka-plugin/config/plugins': 'mayfly',
  'haraka-plugin/plugins/mayfly/package.json': '{}',
};

export interface BuildableProject {
  readonly path: (file: string) => string;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly delete: (file: string) => Promise<void>;
  /** Runs the compiler without scripts/build. Returns its exit code. */
  readonly compile: () => number | null;
  /** Runs scripts/build with these arguments. Returns the executed steps and the exit code. */
  readonly build: (...args: string[]) => { steps: string[]; status: number | null };
  readonly remove: () => Promise<void>;
}

export async function makeBuildableProject(): Promise<BuildableProject> {
  const dir = await makeTempDir();
  const path = (file: string) => join(dir.path, file);
  const write = async (file: string, text: string) => {
    await mkdir(dirname(path(file)), { recursive: true });
    await writeFile(path(file), text);
    if (/\/\.bin\/|^packages\/build$/.test(file) || file === TSC) await chmod(path(file), 0o755);
  };
  const spawn = (program: string, ...args: string[]) =>
    spawnSync(path(program), args, { cwd: dir.path, encoding: 'utf8', timeout: 60_000 });

  for (const [file, text] of Object.entries(FILES)) await write(file, text);
  for (const script of ['build', 'checksum', 'use-node']) {
    await copyFile(SCRIPTS + script, path(`scripts/${script}`));
  }
  return {
    path,
    write,
    delete: (file) => rm(path(file)),
    compile: () => spawn(TSC).status,
    build: (...args) => {
      const { status, stderr } = spawn('scripts/build', ...args);
      const steps = [...stderr.matchAll(/^mayfly: building: (\w+)$/gm)];
      return { status, steps: steps.map(([, name = '']) => name) };
    },
    remove: dir.remove,
  };
}
