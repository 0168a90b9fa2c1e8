/**
 * Builds a package in its folder: the client as ES modules (`--mode esm`) and, from these, as CommonJS (`--mode cjs`),
 * the command as an ES module. The two forms differ in imports and exports only, so that the tarball compresses to half.
 */
import { defineConfig } from 'vite';

const external = [/^node:/, 'openapi-fetch', '@mayfly/client', '@playwright/test', 'vitest'];
const form = {
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
};
const outputs = {
  cli: { ...form, dir: 'dist', format: 'es', minify: false },
  esm: { ...form, dir: 'dist/esm', format: 'es', minify: true },
  cjs: {
    ...form,
    dir: 'dist/cjs',
    format: 'cjs',
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  },
} as const;
const entries = {
  cli: { mayfly: 'src/mayfly.ts' },
  esm: { index: 'src/index.ts' },
  cjs: { index: 'dist/esm/index.js' },
};

export default defineConfig(({ mode }) => {
  if (mode !== 'cli' && mode !== 'esm' && mode !== 'cjs') throw new Error(`unknown mode ${mode}`);
  return {
    build: {
      target: 'node20',
      emptyOutDir: false,
      reportCompressedSize: false,
      lib: { entry: entries[mode], formats: [outputs[mode].format] },
      rollupOptions: { external, output: outputs[mode] },
    },
  };
});
