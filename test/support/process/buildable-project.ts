/**
 * A project with the real scripts/build and with stand-ins for the bundlers, so that a build takes
 * milliseconds.
 */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../core/root.ts';
import { makeTempDir } from '../context/temp-dir.ts';

const SCRIPTS = join(ROOT, 'scripts/');
/**
 * Writes the text of all sources of the product to the only program, `dist/api/app.js`. A file
 * `broken` makes it fail then.
 */
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
  'scripts/bundle.mjs': BUNDLE_TEXT,
  'node_modules/.bin/vite':
    '#!/bin/sh\nmkdir -p dist/dashboard\ncp dashboard/main.tsx dist/dashboard/\n',
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
  'dashboard/main.tsx': 'main',
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
    if (/\/\.bin\/|^packages\/build$/.test(file)) await chmod(path(file), 0o755);
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
    build: (...args) => {
      const { status, stderr } = spawn('scripts/build', ...args);
      const steps = [...stderr.matchAll(/^mayfly: building: (\w+)$/gm)];
      return { status, steps: steps.map(([, name = '']) => name) };
    },
    remove: dir.remove,
  };
}
