import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Output in `dist/dashboard/`: index.html, and hashed assets in assets/. */
export default defineConfig({
  root: path('.'),
  cacheDir: path('../dist/.vite'),
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // The oldest browsers with light-dark() and :has().
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // The Content-Security-Policy allows data: URLs for images only, and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});
