/**
 * Bundles the programs of the product: bundle.mjs [OUTPUT], where OUTPUT is dist/ by default.
 *
 * Each program becomes one file at the path of its source. What several programs share, and what
 * they load on demand, becomes files in chunks/. A process loads a bundle with half the CPU time of
 * several hundred modules, and 20 MiB less.
 */
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const CHUNKS = join(OUTPUT, 'chunks');
/** Gets the names of the packages that are not in the bundles, for scripts/package. */
const PACKAGES = join(OUTPUT, 'packages.json');
/** A running process can still load a chunk of the build before. */
const CHUNKS_KEPT_MS = 24 * 3_600_000;

const PROGRAMS = [
  'api/server.ts',
  'jobs/worker.ts',
  'haraka-plugin/server.ts',
  'core/mime/parser-child.ts',
  'scripts/mayfly.ts',
  'scripts/mcp/main.ts',
  'scripts/move/main.ts',
  'scripts/supervise/main.ts',
  ...['change-plan', 'create-keys', 'create-token', 'create-workspace', 'delete-workspace'].map(
    (name) => `scripts/cli/${name}.ts`,
  ),
  ...['first-workspace', 'list-workspaces', 'migrate'].map((name) => `scripts/cli/${name}.ts`),
  'scripts/package/stage.ts',
];
/** Haraka loads its plugins as CommonJS. */
const COMMON_JS_PROGRAMS = ['haraka-plugin/index.cts'];

/**
 * Packages with native code, and with files that they read: the pages of the queue board, Haraka.
 */
const EXTERNAL = [
  ...['better-sqlite3', 'msgpackr', 'pg-native'],
  ...['@bull-board/ui', 'Haraka', 'haraka-constants', 'haraka-dsn'],
];

/** What CommonJS modules find in every file. */
const COMMON_JS_NAMES = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const { dirname: __dirname, filename: __filename } = import.meta;`;

const OPTIONS = {
  absWorkingDir: ROOT,
  outbase: ROOT,
  outdir: OUTPUT,
  bundle: true,
  write: false,
  platform: 'node',
  // Node.js keeps the text of a bundle in memory: 16 MiB less for all processes. Names of functions
  // stay.
  minifyWhitespace: true,
  lineLimit: 160,
  target: 'node22.12',
  external: EXTERNAL,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};

/** Stands for the path from a bundle to OUTPUT, which is known once the bundles are. */
const TO_OUTPUT = '__PATH_TO_OUTPUT__';

/** `import.meta` of a source remains that of its own output, whatever file it is bundled into. */
const placeOfSource = {
  name: 'place of source',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const output = relative(ROOT, path).replace(/\.ts$/, '.js');
      const url = `new URL('${TO_OUTPUT}/${output}', import.meta.url).href`;
      if (/import\.meta(?!\.url)/.test(source)) throw new Error(`${path}: only import.meta.url`);
      return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

const IMPORTS = new Set(['import-statement', 'dynamic-import']);

/**
 * Replaces imports of Node.js modules, which read all exports of a module. Some exports load other
 * modules first: those of `node:http` load undici, 4 MiB and 35 ms of CPU time in each process.
 */
const builtinsOnDemand = {
  name: 'builtins on demand',
  setup({ onResolve, onLoad }) {
    const namespace = 'builtin';
    onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) =>
      IMPORTS.has(kind) && isBuiltin(path) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /^/, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

async function write({ path, contents, text }) {
  await mkdir(dirname(path), { recursive: true });
  const toOutput = relative(dirname(path), OUTPUT) || '.';
  await writeFile(path, text.includes(TO_OUTPUT) ? text.replaceAll(TO_OUTPUT, toOutput) : contents);
}

async function removeOldChunks(written) {
  for (const name of await readdir(CHUNKS)) {
    const path = join(CHUNKS, name);
    if (written.has(path)) continue;
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > CHUNKS_KEPT_MS) await rm(path);
  }
}

const bundles = await Promise.all([
  build({
    ...OPTIONS,
    entryPoints: PROGRAMS,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    banner: { js: COMMON_JS_NAMES },
    plugins: [placeOfSource, builtinsOnDemand],
  }),
  build({
    ...OPTIONS,
    entryPoints: COMMON_JS_PROGRAMS,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
  }),
]);
const files = bundles.flatMap(({ outputFiles }) => outputFiles);
await Promise.all(files.map(write));
await removeOldChunks(new Set(files.map(({ path }) => path)));
await writeFile(PACKAGES, `${JSON.stringify(EXTERNAL)}\n`);
