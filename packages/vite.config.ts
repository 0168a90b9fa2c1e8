/**
 * Builds a package in its folder as ES modules: the client with `--mode client`, the command with
 * `--mode cli`.
 */
import { type Plugin, defineConfig } from 'vite';

const packages = ['openapi-fetch', '@mayfly/client', '@playwright/test', 'vitest'];
const external = [/^node:/, ...packages];
/** The subpaths of the client import the client, which they must not contain a second time. */
const clientOfSubpaths: Plugin = {
  name: 'client of subpaths',
  enforce: 'pre',
  resolveId: (source) =>
    source === './index.ts' ? { id: './index.js', external: true } : undefined,
};
const modes = {
  cli: { entry: { mayfly: 'src/mayfly.ts' }, minify: false },
  client: {
    entry: {
      index: 'src/index.ts',
      cypress: 'src/cypress.ts',
      playwright: 'src/playwright.ts',
      vitest: 'src/vitest.ts',
    },
    minify: true,
  },
} as const;

export default defineConfig(({ mode }) => {
  if (mode !== 'cli' && mode !== 'client') throw new Error(`unknown mode ${mode}`);
  const { entry, minify } = modes[mode];
  return {
    plugins: [clientOfSubpaths],
    build: {
      target: 'node20',
      emptyOutDir: false,
      reportCompressedSize: false,
      lib: { entry, formats: ['es'] },
      rolldownOptions: {
        external,
        output: {
          format: 'es',
          dir: 'dist',
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          minify,
        },
      },
    },
  };
});
