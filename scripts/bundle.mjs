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
  'core/parser-child.ts',
  'core/process/watch-thread.ts',
  'scripts/mayfly.ts',
  'scripts/mcp/main.ts',
  'scripts/backup/main.ts',
  'scripts/move/main.ts',
  ...['main', 'read-config'].map((name) => `scripts/supervise/${name}.ts`),
  ...['change-plan', 'create-keys', 'create-token', 'create-workspace', 'delete-workspace'].map(
    (name) => `scripts/cli/${name}.ts`,
  ),
  ...['first-workspace', 'list-workspaces', 'migrate', 'retry-mail'].map(
    (name) => `scripts/cli/${name}.ts`,
  ),
  'scripts/package/stage.ts',
];
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

/** Stands for the path from a bundle to OUTPUT, which is known once the bundles are. */
const TO_OUTPUT = '__PATH_TO_OUTPUT__';

const PLACE = 'core/root.ts';

/** {@link PLACE} has its own place in every bundle. No other file asks where it is. */
const placeOfSource = {
  name: 'place of source',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes('import.meta')) return undefined;
      if (relative(ROOT, path) !== PLACE) throw new Error(`${path}: take paths from ${PLACE}`);
      const url = `new URL('${TO_OUTPUT}/core/root.js', import.meta.url).href`;
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

/** What only other uses of BullMQ need: queues in PostgreSQL, and times of cron. */
const unusedOfBullmq = {
  name: 'unused modules of bullmq',
  setup({ onResolve, onLoad }) {
    const namespace = 'unused';
    onResolve({ filter: /^(?:\.\/postgres|cron-parser)$/ }, ({ path, importer }) =>
      importer.includes('/bullmq/') ? { path, namespace } : undefined,
    );
    onLoad({ filter: /^/, namespace }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, {
        get(_target, name) {
          throw new Error('scripts/bundle.mjs leaves out ${path} of bullmq, but ' + String(name) + ' is used.');
        },
      });`,
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

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: PROGRAMS,
  outbase: ROOT,
  outdir: OUTPUT,
  bundle: true,
  write: false,
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  banner: { js: COMMON_JS_NAMES },
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
  plugins: [placeOfSource, builtinsOnDemand, unusedOfBullmq],
});
await Promise.all(outputFiles.map(write));
await removeOldChunks(new Set(outputFiles.map(({ path }) => path)));
await writeFile(PACKAGES, `${JSON.stringify(EXTERNAL)}\n`);
