/**
 * Builds a part of a package in its folder: the client with `--mode client` as CommonJS, which
 * `modules.mjs` wraps as ES modules, and with `--mode vitest` its entry for Vitest, which is an ES
 * module; the command with `--mode cli` as an ES module.
 */
import { defineConfig } from 'vite';

const packages = ['openapi-fetch', '@mayfly/client', '@playwright/test', 'vitest'];
/** The entry for Vitest shares the code of that for snapshots: the package holds it once. */
const SNAPSHOT = /\/snapshots\/mail-snapshot\.ts$/;
const external = [/^node:/, ...packages];
const modes = {
  cli: { entry: { mayfly: 'src/mayfly.ts' }, minify: false, format: 'es', extension: 'js' },
  client: {
    entry: {
      index: 'src/index.ts',
      cypress: 'src/cypress.ts',
      jest: 'src/jest.ts',
      playwright: 'src/playwright.ts',
      server: 'src/server/index.ts',
      'set-up': 'src/set-up.ts',
      snapshot: 'src/snapshot.ts',
    },
    minify: true,
    format: 'cjs',
    extension: 'js',
  },
  vitest: { entry: { vitest: 'src/vitest.mts' }, minify: true, format: 'es', extension: 'mjs' },
} as const;

export default defineConfig(({ mode }) => {
  if (mode !== 'cli' && mode !== 'client' && mode !== 'vitest')
    throw new Error(`unknown mode ${mode}`);
  const { entry, minify, format, extension } = modes[mode];
  return {
    build: {
      target: 'node20',
      emptyOutDir: false,
      reportCompressedSize: false,
      lib: { entry, formats: [format] },
      rolldownOptions: {
        external: mode === 'vitest' ? [...external, SNAPSHOT] : external,
        output: {
          dir: 'dist',
          paths: (id: string) => (SNAPSHOT.test(id) ? './snapshot.mjs' : id),
          entryFileNames: `[name].${extension}`,
          // What several entries share.
          chunkFileNames: `[name].${extension}`,
          minify,
        },
      },
    },
  };
});
