/** Loaded first by each process that watched.ts runs: reports the files that the process loads. */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const reported = new Set<string>();

// Processes that the watched one forks load this too, and their messages go to that one.
if (process.ppid === Number(process.env.MAYFLY_WATCHED_BY)) {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      report(found.url);
      return found;
    },
  });
}

function report(url: string): void {
  if (!url.startsWith('file:') || url.includes('/node_modules/') || reported.has(url)) return;
  reported.add(url);
  process.send?.({ loaded: fileURLToPath(url) });
}
