/**
 * Keeps in Redis what Redis may have lost: whose it is, the recipient directory and the schedules. The mark of a
 * complete directory is looked for each second, since mail waits while it is missing; the whole directory
 * is compared with the database each minute.
 */
import type { Context } from '../core/context.js';
import { directorySource } from '../core/directory-source.js';
import { errorText } from '../core/errors.js';
import { markRedis } from '../core/instance-marks.js';
import { scheduledJobs } from './index.js';

const LOOK_EVERY_MS = 1000;
const COMPARE_EVERY_MS = 60_000;

export interface Keeper {
  stop: () => Promise<void>;
}

/** Starts with one comparison, so that a worker that is ready has left the directory right. */
export async function startKeeper(context: Context): Promise<Keeper> {
  const log = context.log.child({ subsystem: 'keeper' });
  const source = directorySource(context.store);
  const { redis, config } = context;
  let comparedAt = -Infinity;
  let lost = false;

  const look = async () => {
    if (!(await context.directory.isComplete())) {
      if (!(await markRedis(context.instanceId, { redis, redisPrefix: config.redisPrefix }))) {
        throw new Error('Redis belongs to another instance by now');
      }
      await context.directory.rebuild(source);
      log.info('recipient directory rebuilt');
      comparedAt = -Infinity;
    }
    if (lost || performance.now() - comparedAt >= COMPARE_EVERY_MS) {
      const corrected = await context.directory.compare(source);
      context.metrics.jobs.repairs.inc({ sweep: 'directory' }, corrected);
      if (corrected > 0) log.warn('recipient directory corrected', { corrected });
      for (const job of scheduledJobs) await context.queues.schedule(job);
      comparedAt = performance.now();
    }
    lost = false;
  };

  const lookAgain = async () => {
    try {
      await look();
    } catch (error) {
      if (!lost) log.warn('cannot keep the directory', { fault: errorText(error) });
      lost = true;
    }
  };

  await look();
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(lookAgain);
  }, LOOK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
