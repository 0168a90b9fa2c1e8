/**
 * Builds a package in its folder: the client as ES modules (`--mode esm`) and, from these, as CommonJS (`--mode cjs`),
 * the command as an ES module. The two forms differ in imports and exports only, so that the tarball compresses to half.
 */
import { defineConfig } from 'vite';

const packages = ['openapi-fetch', '@mayfly/client', '@playwright/test', 'vitest'];
/** The subpaths of the client import the client, which they must not contain a second time. */
const external = [/^node:/, /^\.\/index\.js$/, ...packages];
const readable = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;
const modes = {
  cli: { entry: { mayfly: 'src/mayfly.ts' }, format: 'es', minify: false },
  esm: {
    entry: {
      index: 'src/index.ts',
      cypress: 'src/cypress.ts',
      playwright: 'src/playwright.ts',
      vitest: 'src/vitest.ts',
    },
    format: 'es',
    minify: true,
  },
  cjs: {
    entry: {
      index: 'dist/index.js',
      cypress: 'dist/cypress.js',
      playwright: 'dist/playwright.js',
    },
    format: 'cjs',
    minify: readable,
  },
} as const;

export default defineConfig(({ mode }) => {
  if (mode !== 'cli' && mode !== 'esm' && mode !== 'cjs') throw new Error(`unknown mode ${mode}`);
  const { entry, format, minify } = modes[mode];
  return {
    build: {
      target: 'node20',
      emptyOutDir: false,
      reportCompressedSize: false,
      lib: { entry, formats: [format] },
      rollupOptions: {
        external,
        output: { format, dir: 'dist', entryFileNames: '[name].js', minify },
      },
    },
  };
});
