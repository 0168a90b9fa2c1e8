/** A project with the real scripts/build and with stand-ins for the compilers, so that a build takes milliseconds. */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from '../context/temp-dir.js';

const BUILD = fileURLToPath(new URL('../../../../scripts/build', import.meta.url));

/** Copies each source to dist/ as its output. A file `broken` makes it fail after it has written them. */
const TSC = `#!/bin/sh
mkdir -p dist
if [ "\${1:-}" = -p ]; then
  cat api/dashboard/* >dist/.tsbuildinfo-dashboard
  exit
fi
sources=$(find api core test -name '*.ts' | sort)
for source in $sources; do
  mkdir -p "dist/\${source%/*}"
  cp "$source" "dist/\${source%.ts}.js"
  cp "$source" "dist/\${source%.ts}.js.map"
done
cat $sources >dist/.tsbuildinfo
[ ! -e broken ]
`;

const FILES: Record<string, string> = {
  'node_modules/.bin/openapi-typescript': '#!/bin/sh\ncp "$1" "$3"\n',
  'node_modules/.bin/tsc': TSC,
  'node_modules/.bin/vite':
    '#!/bin/sh\nmkdir -p dist/dashboard\ncp api/dashboard/main.tsx dist/dashboard/\n',
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
  'haraka-plugin/package.json': '{}',
  'haraka-plugin/config/plugins': 'mayfly',
  'haraka-plugin/plugins/mayfly/package.json': '{}',
};

export interface BuildableProject {
  readonly path: (file: string) => string;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly delete: (file: string) => Promise<void>;
  /** Runs a program of the project there, by its path, and resolves to its exit code. */
  readonly run: (program: string) => number | null;
  /** Runs scripts/build: the steps it ran, and its exit code. */
  readonly build: () => { steps: string[]; status: number | null };
  readonly remove: () => Promise<void>;
}

export async function makeBuildableProject(): Promise<BuildableProject> {
  const dir = await makeTempDir();
  const path = (file: string) => join(dir.path, file);
  const write = async (file: string, text: string) => {
    await mkdir(dirname(path(file)), { recursive: true });
    await writeFile(path(file), text);
    if (file.includes('/.bin/')) await chmod(path(file), 0o755);
  };
  const spawn = (program: string) =>
    spawnSync(path(program), { cwd: dir.path, encoding: 'utf8', timeout: 60_000 });

  for (const [file, text] of Object.entries(FILES)) await write(file, text);
  await mkdir(path('scripts'));
  await copyFile(BUILD, path('scripts/build'));
  return {
    path,
    write,
    delete: (file) => rm(path(file)),
    run: (program) => spawn(program).status,
    build: () => {
      const { status, stderr } = spawn('scripts/build');
      const steps = [...stderr.matchAll(/^mayfly: building: (\w+)$/gm)];
      return { status, steps: steps.map(([, name = '']) => name) };
    },
    remove: dir.remove,
  };
}
