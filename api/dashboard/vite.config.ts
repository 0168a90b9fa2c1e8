import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** `dist/dashboard/`: index.html, and scripts, styles and pictures with hashed names in assets/. */
export default defineConfig({
  root: path('.'),
  cacheDir: path('../../dist/.vite'),
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('../../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // As old as light-dark() and :has() allow.
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // The policy of the page lets no data: through but for pictures, and no script in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});
