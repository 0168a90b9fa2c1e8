/** Entry point of the web process, or of the first of several. */
import cluster from 'node:cluster';
import { runProcess, type RunningProcess } from '../core/process/run-process.ts';
import { AppError } from '../core/errors.ts';
import { superviseChild, waitUntilReady } from '../core/process/supervise-child.ts';
import type { Logger } from '../core/log.ts';

runProcess('web', async (config, log) => {
  const { processes } = config.http;
  if (cluster.isPrimary && processes > 1) return startWebProcesses(processes, log);
  // Loaded on demand: the primary process does not need the application in memory.
  const { serve } = await import('./serve.ts');
  return serve(config, log);
});

/**
 * Several web processes on one port (`WEB_PROCESSES`). The first process accepts connections and
 * distributes them round-robin (node:cluster); the others share no state. A crashed process loses
 * only its own connections and is restarted; if the first one exits, all exit.
 *
 * Resolves once all processes are ready. @throws {AppError} `unavailable` if one fails to start;
 * that process has logged the reason.
 */
async function startWebProcesses(count: number, log: Logger): Promise<RunningProcess> {
  const all = Array.from({ length: count }, (_, n) =>
    superviseChild({
      spawn: fork,
      ready: waitUntilReady,
      print: (event) => log.info('web process', { number: n + 1, event }),
    }),
  );
  const stop = async () => {
    await Promise.all(all.map((child) => child.stop()));
  };
  const exits = await Promise.all(all.map(({ started }) => started));
  if (exits.some((exit) => exit !== null)) {
    await stop();
    throw new AppError('unavailable', 'a web process could not start: see its log');
  }
  return { stop };
}

function fork() {
  const child = cluster.fork();
  // The exit event reports the same error; without a listener it would be thrown here.
  child.on('error', () => undefined);
  return child.process;
}
