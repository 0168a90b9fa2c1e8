/** Entry point of the web process, or of the first of several. */
import cluster from 'node:cluster';
import { runProcess } from '../core/process/run-process.ts';
import { startWebProcesses } from './web-processes.ts';

runProcess('web', async (config, log) => {
  const { processes } = config.http;
  if (cluster.isPrimary && processes > 1) return startWebProcesses(processes, log);
  // Loaded on demand: the primary process does not need the application in memory.
  const { serve } = await import('./serve.ts');
  return serve(config, log);
});
