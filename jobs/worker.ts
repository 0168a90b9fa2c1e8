/** The worker process: one BullMQ worker per job, and the keeper. */
import { openContext } from '../core/context.js';
import { runProcess } from '../core/entry.js';
import { closeRedis, openPatientRedis } from '../core/redis.js';
import { startReporting } from '../core/report-metrics.js';
import { allJobs } from './index.js';
import { startKeeper } from './keeper.js';
import { startWorker, stopWorker } from './start-worker.js';

const FINISH_DEADLINE_MS = 20_000;

runProcess('worker', async (config, log) => {
  const context = await openContext(config, log);
  const keeper = await startKeeper(context);
  const connection = openPatientRedis(config, log);
  const workers = allJobs.map((job) => startWorker(context, connection, job));
  const reporting = startReporting(context);
  return {
    stop: async () => {
      await keeper.stop();
      await Promise.all(workers.map((worker) => stopWorker(worker, FINISH_DEADLINE_MS)));
      await reporting.stop();
      await closeRedis(connection);
      await context.close();
    },
  };
});
