/** Entry point of the worker process. */
import { runProcess } from '../core/process/run-process.js';

runProcess('worker', async (config, log) => {
  const { work } = await import('./work.js');
  return work(config, log);
});
