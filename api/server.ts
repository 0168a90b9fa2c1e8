/** The web process, or the first of several. */
import cluster from 'node:cluster';
import { runProcess } from '../core/process/run-process.js';
import { startWebProcesses } from './web-processes.js';

runProcess('web', async (config, log) => {
  const { processes } = config.http;
  if (cluster.isPrimary && processes > 1) return startWebProcesses(processes, log);
  // Imported only here: one that serves nothing itself need not keep the application in memory.
  const { serve } = await import('./serve.js');
  return serve(config, log);
});
