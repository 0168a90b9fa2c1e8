/**
 * Reconciles Redis with the database: the instance id, the recipient directory, the SMTP
 * credentials and the job schedules. The completeness mark of the directory is checked every
 * second, because mail is deferred while it is missing. Directory and credentials are compared with
 * the database every minute.
 */
import type { Context } from '../core/context.ts';
import { credentialSource, recipientSource } from '../core/directory/sources.ts';
import { errorText } from '../core/errors.ts';
import { acquireRedisOwnership } from '../core/instance/ownership.ts';
import { schedule } from '../core/retention/schedule.ts';

const CHECK_EVERY_MS = 1000;
const COMPARE_EVERY_MS = 60_000;

export interface Reconciliation {
  stop: () => Promise<void>;
}

/**
 * Reconciles once before it resolves, so the directory is correct when the worker reports ready.
 */
export async function startReconciliation(context: Context): Promise<Reconciliation> {
  const log = context.log.child({ subsystem: 'reconcile' });
  const source = recipientSource(context.store);
  const credentials = credentialSource(context.store);
  const { redis, config } = context;
  let comparedAt = -Infinity;
  let hasFailed = false;

  const reconcile = async () => {
    if (!(await context.directory.isComplete())) {
      if (
        !(await acquireRedisOwnership(context.instanceId, {
          redis,
          redisPrefix: config.redisPrefix,
        }))
      ) {
        throw new Error('Redis belongs to another Mayfly instance now');
      }
      // Before the mark, which covers both.
      const credentialsCorrected = await context.credentials.compare(credentials);
      const corrected = credentialsCorrected + (await context.directory.rebuild(source));
      log.info('recipient directory rebuilt', { corrected });
      for (const job of Object.values(schedule)) await context.queues.schedule(job);
      comparedAt = performance.now();
    } else if (hasFailed || performance.now() - comparedAt >= COMPARE_EVERY_MS) {
      const corrected =
        (await context.directory.compare(source)) +
        (await context.credentials.compare(credentials));
      context.metrics.jobs.repairs.inc({ sweep: 'directory' }, corrected);
      if (corrected > 0) log.warn('recipient directory corrected', { corrected });
      for (const job of Object.values(schedule)) await context.queues.schedule(job);
      comparedAt = performance.now();
    }
    hasFailed = false;
  };

  const reconcileAgain = async () => {
    try {
      await reconcile();
    } catch (error) {
      if (!hasFailed) log.warn('directory reconcile failed', { fault: errorText(error) });
      hasFailed = true;
    }
  };

  await reconcile();
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= reconcileAgain().finally(() => {
      running = null;
    });
  }, CHECK_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
