/** The worker process: one BullMQ worker per job, and the reconciliation of Redis. */
import type { Worker } from 'bullmq';
import { STOP_WITHIN_MS, closeInOrder } from '../core/closers.ts';
import type { Config } from '../core/config/config.ts';
import type { Logger } from '../core/log.ts';
import { startReporting } from '../core/metrics/shared-reports.ts';
import { openContext } from '../core/open-context.ts';
import { type RunningProcess, runProcess } from '../core/process/run-process.ts';
import { startWorker, stopWorker } from '../core/queue/worker.ts';
import { closeRedis, openBlockingRedis } from '../core/redis/client.ts';
import { allJobs } from './index.ts';
import { startReconciliation } from './reconcile-redis.ts';
// Loaded at start, so that the first mail does not wait for it.
import '../core/mime/read-mime.ts';

const FINISH_DEADLINE_MS = 20_000;

/**
 * A worker writes new pages and rarely reads one again: with the 16,000 KiB of the driver it takes
 * 13 MiB more after 5,000 mails, and no less CPU time.
 */
const CACHE_KIB = 4096;

async function work(config: Config, log: Logger): Promise<RunningProcess> {
  const context = await openContext(withSmallCache(config), log);
  const reconciliation = await startReconciliation(context);
  const connection = openBlockingRedis(config, log);
  const workers = allJobs.map((job) => startWorker(context, connection, job));
  const reporting = startReporting(context);
  const finish = (worker: Worker) => stopWorker(worker, FINISH_DEADLINE_MS, log);
  return {
    stop: () =>
      closeInOrder(
        [
          () => Promise.all([reconciliation.stop(), ...workers.map(finish)]),
          () => reporting.stop(),
          () => closeRedis(connection),
          () => context.close(),
        ],
        log,
        STOP_WITHIN_MS,
      ),
  };
}

function withSmallCache(config: Config): Config {
  const { database } = config;
  if (database.kind !== 'sqlite') return config;
  return { ...config, database: { ...database, cacheKiB: CACHE_KIB } };
}

runProcess('worker', work);
