/**
 * Builds a package in its folder: the client with `--mode client` as ES modules and as CommonJS,
 * the command with `--mode cli` as an ES module.
 */
import { defineConfig } from 'vite';

const packages = ['openapi-fetch', '@mayfly/client', '@playwright/test', 'vitest'];
const external = [/^node:/, ...packages];
const modes = {
  cli: { entry: { mayfly: 'src/mayfly.ts' }, minify: false, forms: { es: 'js' } },
  client: {
    entry: {
      index: 'src/index.ts',
      cypress: 'src/cypress.ts',
      jest: 'src/jest.ts',
      playwright: 'src/playwright.ts',
      server: 'src/server/index.ts',
      'set-up': 'src/set-up.ts',
      vitest: 'src/vitest.mts',
    },
    minify: true,
    forms: { es: 'mjs', cjs: 'js' },
  },
} as const;

export default defineConfig(({ mode }) => {
  if (mode !== 'cli' && mode !== 'client') throw new Error(`unknown mode ${mode}`);
  const { entry, minify, forms } = modes[mode];
  return {
    build: {
      target: 'node20',
      emptyOutDir: false,
      reportCompressedSize: false,
      lib: { entry },
      rolldownOptions: {
        external,
        output: Object.entries(forms).map(([format, extension]) => ({
          format: format === 'es' ? 'es' : 'cjs',
          dir: 'dist',
          entryFileNames: `[name].${extension}`,
          // What several entries share.
          chunkFileNames: `[name].${extension}`,
          minify,
        })),
      },
    },
  };
});
