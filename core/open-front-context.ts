/**
 * The composition root of the SMTP process: Redis and the blob store, without database and parser.
 */
import { openQueues } from './queue/queues.ts';
import { openInOrder } from './closers.ts';
import type { Config } from './config/config.ts';
import { openCredentialDirectory } from './directory/credentials.ts';
import {
  openKnownRecipients,
  openKnownCredentials,
  noCache,
  openTrackedCache,
} from './directory/tracked-cache.ts';
import { openRecipientDirectory } from './directory/recipients.ts';
import { checkSameInstance, acquireOwnership } from './instance/ownership.ts';
import type { Logger } from './log.ts';
import { openMetricReports } from './metrics/shared-reports.ts';
import { openMetrics } from './metrics/metrics.ts';
import { openBlobs } from './blobs/disk.ts';
import { openRateLimits } from './limits/rate-limit.ts';
import { openGuessLimit } from './limits/recipient-guesses.ts';
import { openMailIntake } from './intake/intake.ts';
import { openMailSpool } from './intake/spool.ts';
import { closeRedis, openRedis, openTrackingClient } from './redis/client.ts';
import { openReplication } from './redis/replication.ts';
import { checkRedisPolicy } from './redis/check-policy.ts';
import type { FrontContext, Overrides, SharedContext } from './context.ts';

/**
 * @param instanceId required owner of Redis and the blob store; null in a process without a
 *   database.
 * @throws {AppError} `unavailable` with a text for the operator if Redis is unreachable,
 *   misconfigured or of another instance.
 */
export async function openSharedContext(
  config: Config,
  log: Logger,
  overrides: Overrides,
  instanceId: string | null,
): Promise<SharedContext> {
  return openInOrder(log, async ({ add, close }) => {
    const { redisPrefix } = config;
    const blobs = add(await openBlobs(config), (opened) => opened.close());
    const redis = add(await openRedis(config, log, overrides.redisCommandTimeoutMs), closeRedis);
    await checkRedisPolicy(redis, config, log);
    const stores = { redis, redisPrefix, blobs };
    if (instanceId === null) await checkSameInstance(stores, log);
    else await acquireOwnership(instanceId, stores, log);
    const now = overrides.now ?? Date.now;
    return {
      config,
      log,
      now,
      redis,
      blobs,
      directory: openRecipientDirectory(redis, redisPrefix, now),
      credentials: openCredentialDirectory(redis, redisPrefix, now),
      mailSpool: openMailSpool(redis, redisPrefix, blobs, config.maxQueuedBytes),
      queues: add(openQueues(redis, redisPrefix, log), (opened) => opened.close()),
      rateLimits: openRateLimits(config, redis, now),
      metrics: { ...openMetrics(config.role), reports: openMetricReports(redis, redisPrefix) },
      close,
    };
  });
}

/** @throws {AppError} as `openSharedContext` does. */
export async function openFrontContext(
  config: Config,
  log: Logger,
  overrides: Overrides = {},
): Promise<FrontContext> {
  return openInOrder(log, async ({ add, close }) => {
    const shared = add(await openSharedContext(config, log, overrides, null), (opened) =>
      opened.close(),
    );
    const replication = openReplication(config, log, overrides.redisCommandTimeoutMs);
    add(replication, (opened) => opened.close());
    const intake = openMailIntake({ ...shared, replication });
    const tracking = openTrackingClient(config, log);
    const cache = tracking ? openTrackedCache(tracking, config.redisPrefix, log) : noCache;
    add(cache, (opened) => {
      opened.close();
    });
    const knownRecipients = openKnownRecipients(cache, shared.now);
    const knownCredentials = openKnownCredentials(cache, shared.now);
    const guessLimit = openGuessLimit(config, shared.redis, shared.now);
    const known = { knownRecipients, knownCredentials };
    return { ...shared, replication, intake, ...known, guessLimit, close };
  });
}
