/**
 * `npm run dev`: everything that `up` starts, from source. A process restarts when a file that it
 * has loaded is saved (watched.ts). Vite serves the dashboard with hot reload, and passes all other
 * requests on to the web process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServer } from 'vite';
import { OUTSIDE_API } from '../../api/outside-api.ts';
import type { Config } from '../../core/config/config.ts';
import { ROOT } from '../../core/root.ts';
import { type Procfile, parseProcfile } from '../supervise/procfile.ts';
import { runUp } from '../supervise/run.ts';
import { StartError } from '../supervise/supervisor.ts';
import { readable } from './readable-log.ts';

const WATCHED = 'node scripts/dev/watched.ts';
const USAGE = 'Usage: npm run dev [-- --inspect PROCESS], where PROCESS is web, worker or smtp';

runUp({ procfile: sourceProcfile, format: readable, ready: serveDashboard });

/**
 * The processes of the Procfile, which run until they are watched from source. @throws {StartError}
 */
function sourceProcfile(): Procfile {
  const inspected = inspectedProcess();
  const { release, processes } = parseProcfile(readFileSync(join(ROOT, 'Procfile'), 'utf8'));
  if (inspected !== undefined && !processes.has(inspected)) throw new StartError(USAGE);
  return {
    release: release && fromSource(release, 'node'),
    processes: new Map(
      [...processes].map(([name, command]) => [
        name,
        fromSource(command, name === inspected ? `${WATCHED} --inspect` : WATCHED),
      ]),
    ),
  };
}

function inspectedProcess(): string | undefined {
  try {
    return parseArgs({ options: { inspect: { type: 'string' } } }).values.inspect;
  } catch {
    throw new StartError(USAGE);
  }
}

/** @param node runs a program of TypeScript in place of `node` */
function fromSource(command: string, node: string): string {
  return command.replace(' node ', ` ${node} `).replace(/ dist\/(\S+)\.js$/, ' $1.ts');
}

async function serveDashboard({ http }: Config): Promise<string[]> {
  const ours = new Set(process.listeners('SIGTERM'));
  const vite = await createServer({
    configFile: join(ROOT, 'dashboard/vite.config.ts'),
    server: {
      host: '127.0.0.1',
      proxy: Object.fromEntries(
        ['api', ...OUTSIDE_API].map((first) => [`^/${first}(?:[/?]|$)`, proxyTo(http.port)]),
      ),
    },
  });
  // Vite ends the process on SIGTERM, before its children have stopped.
  for (const listener of process.listeners('SIGTERM')) {
    if (!ours.has(listener)) process.off('SIGTERM', listener);
  }
  await vite.listen();
  const [address = ''] = vite.resolvedUrls?.local ?? [];
  return [`Dashboard with hot reload: ${address}`, ''];
}

/** Keeps the Host of a request, which the web process compares with the origin of the page. */
function proxyTo(port: number) {
  return { target: `http://127.0.0.1:${port}`, changeOrigin: false, xfwd: false };
}
