/**
 * Compiles the sources that are newer than their output, each by itself and without a look at its types, which takes
 * tsc several seconds. Exits with 1 where this does not do: scripts/build must run then.
 */
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Those that tsc compiles to ES modules. */
const FOLDERS = ['api', 'core', 'db', 'jobs', 'scripts', 'test'];
/** What else dist/ is made from: when it has changed, the steps of scripts/build decide. */
const OTHERS = ['haraka-plugin', 'api/dashboard', 'openapi.yaml', 'package.json', 'tsconfig.json'];
const STAMPS = 'dist/.built';
/** More of them come with another branch. */
const MOST = 50;

const modified = (path: string) =>
  statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function filesIn(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => statSync(join(ROOT, name)).isFile());
}

function compile(source: string): void {
  const output = outputOf(source);
  const { outputText, sourceMapText } = ts.transpileModule(
    readFileSync(join(ROOT, source), 'utf8'),
    {
      fileName: relative(dirname(output), source),
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        sourceMap: true,
      },
    },
  );
  writeFileSync(join(ROOT, output), outputText);
  writeFileSync(join(ROOT, `${output}.map`), sourceMapText ?? '');
}

const outputOf = (source: string) => join('dist', source.replace(/\.ts$/, '.js'));

/** The end of the last build: a step that had nothing to do has left its stamp as it was. */
const built = existsSync(join(ROOT, STAMPS))
  ? Math.max(...filesIn(STAMPS).map((stamp) => modified(stamp)))
  : 0;
const changed = FOLDERS.flatMap(filesIn).filter(
  (file) =>
    file.endsWith('.ts') &&
    !/\.d\.ts$|^api\/dashboard/.test(file) &&
    modified(file) > Math.max(modified(outputOf(file)), built),
);
const isEnough =
  changed.length <= MOST &&
  changed.every((file) => modified(outputOf(file)) > 0) &&
  OTHERS.flatMap(filesIn).every((file) => modified(file) <= built);
if (!isEnough) process.exit(1);
// tsc would take a source that has changed back for one whose output is right.
if (changed.length > 0) rmSync(join(ROOT, 'dist/.tsbuildinfo'), { force: true });
for (const file of changed) compile(file);
