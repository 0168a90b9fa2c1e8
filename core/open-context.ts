/**
 * The composition root of web, worker and scripts. Only the two composition roots open connections.
 */
import { openGroupTransaction } from '../db/group-commit.ts';
import { openStore } from '../db/open.ts';
import { openInOrder } from './closers.ts';
import type { Config } from './config/config.ts';
import { nodeCryptography } from './secrets/keyring.ts';
import { openJobQuota } from './delivery/job-quota.ts';
import { DeliveryLimiter, LARGE_LIMITS, smallLimits } from './delivery/limits.ts';
import { openEventHistory, openEventPublisher } from './events/history.ts';
import { openEventHub } from './events/hub.ts';
import { HEAVY_BYTES_AT_ONCE } from './ingest/heavy.ts';
import { LIGHT_LOAD_AT_ONCE } from './ingest/light.ts';
import { openInstance } from './instance/instance.ts';
import type { Logger } from './log.ts';
import { openWeightedSemaphore } from './limits/weighted-semaphore.ts';
import { openMailWriter } from './ingest/writer.ts';
import { openReading } from './mime/reading.ts';
import { openReadGuard } from './queue/read-guard.ts';
import { openParsePool } from './mime/parser-pool.ts';
import { openSubscriber } from './redis/client.ts';
import { openResolver } from './egress/dns.ts';
import { openBrowserSessions } from './auth/browser-sessions.ts';
import { openTokenUse } from './auth/token-use.ts';
import type { Context, Overrides } from './context.ts';
import { openSharedContext } from './open-front-context.ts';

/**
 * @throws {AppError} `unavailable` with a text for the operator if a component cannot be opened.
 */
export async function openContext(
  config: Config,
  log: Logger,
  overrides: Overrides = {},
): Promise<Context> {
  const { keyring } = config;
  if (!keyring) throw new Error('a context with a database requires ENCRYPTION_KEYS');
  return openInOrder(log, async ({ add, close }) => {
    const store = add(await openStore(config), (opened) => opened.close());
    const instanceId = await openInstance(store);
    const shared = add(await openSharedContext(config, log, overrides, instanceId), (opened) =>
      opened.close(),
    );
    const { redis, now } = shared;
    const { redisPrefix } = config;
    const readGuard = add(openReadGuard(redis, config, log, shared.metrics.jobs), (opened) =>
      opened.close(),
    );
    const parsePool = add(
      openParsePool(config.parseTimeoutMs, {
        inlineMs: overrides.inlineParseMs,
        script: overrides.parserChild,
      }),
      (opened) => {
        opened.close();
      },
    );
    const tokenUse = add(openTokenUse(store, now, log), (opened) => opened.close());
    const history = openEventHistory(redis, redisPrefix);
    const publisher = add(openEventPublisher(history, log), (opened) => opened.close());
    const monotonicMs = () => performance.now();
    const limiter = new DeliveryLimiter(smallLimits(config.webhooks.concurrency), monotonicMs);
    const hub = add(
      openEventHub(history, redis, () => openSubscriber(config, log), log),
      (opened) => {
        opened.close();
      },
    );
    return {
      ...shared,
      instanceId,
      store,
      readGuard,
      secrets: { keyring, crypto: overrides.crypto ?? nodeCryptography },
      auth: { sessions: openBrowserSessions(redis, redisPrefix), tokenUse },
      events: { publisher, hub },
      ingest: {
        writer: openMailWriter(store, now, config.messageTtlMs, shared.metrics.mail),
        parsePool,
        reading: openReading(parsePool),
        lightLimit: openWeightedSemaphore(LIGHT_LOAD_AT_ONCE),
        heavyLimit: openWeightedSemaphore(HEAVY_BYTES_AT_ONCE),
      },
      delivery: {
        writer: openGroupTransaction(store),
        limiter,
        largeLimiter: new DeliveryLimiter(LARGE_LIMITS, monotonicMs, limiter),
        quota: openJobQuota(redis, redisPrefix, config.webhooks.maxQueued),
        resolve: overrides.resolve ?? openResolver(),
      },
      close,
    };
  });
}
