/** The composition root of web, worker and commands. Nothing but the two roots opens a connection. */
import { openGroupTransaction } from '../db/group-transaction.js';
import { openStore } from '../db/open.js';
import { openInTurn } from './closers.js';
import type { Config } from './config/config.js';
import { nodeCryptography } from './secrets/keyring.js';
import { DeliveryLimiter, LARGE_LIMITS, smallLimits } from './delivery/limits/limiter.js';
import { openEventHistory } from './events/history.js';
import { openEventHub } from './events/hub.js';
import { openEventPublisher } from './events/publisher.js';
import { openHeavyMailQueue } from './ingest/heavy-mail-queue.js';
import { openInstance } from './instance/instance.js';
import type { Logger } from './log.js';
import { openMailWriter } from './ingest/mail-writer.js';
import { openParsePool } from './mime/parser-pool.js';
import { openPoisonRecord } from './ingest/poison-record.js';
import { openSubscriber } from './redis/client.js';
import { openResolver } from './egress/dns.js';
import { openBrowserSessions } from './auth/browser-sessions.js';
import { openTokenUse } from './auth/last-used.js';
import type { Context, Overrides } from './context.js';
import { openSharedContext } from './open-front-context.js';

/** @throws {AppError} `unavailable`, with a text for the operator, when a part cannot be opened. */
export async function openContext(
  config: Config,
  log: Logger,
  overrides: Overrides = {},
): Promise<Context> {
  const { keyring } = config;
  if (!keyring) throw new Error('a context with a database needs ENCRYPTION_KEYS');
  return openInTurn(log, async ({ add, close }) => {
    const store = add(await openStore(config), (opened) => opened.close());
    const instanceId = await openInstance(store);
    const shared = add(await openSharedContext(config, log, overrides, instanceId), (opened) =>
      opened.close(),
    );
    const { redis, now } = shared;
    const { redisPrefix } = config;
    const parsePool = add(openParsePool(config.parseTimeoutMs), (opened) => {
      opened.close();
    });
    const tokenUse = add(openTokenUse(store, now, log), (opened) => opened.close());
    const history = openEventHistory(redis, redisPrefix);
    const publisher = add(openEventPublisher(history, log), (opened) => opened.close());
    const limiter = new DeliveryLimiter(smallLimits(config.webhooks.concurrency));
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
      secrets: { keyring, crypto: overrides.crypto ?? nodeCryptography },
      auth: { sessions: openBrowserSessions(redis, redisPrefix), tokenUse },
      events: { publisher, hub },
      ingest: {
        writer: openMailWriter(store, now, config.messageTtlMs, shared.metrics.mail),
        parsePool,
        heavyMailQueue: openHeavyMailQueue(config.worker.concurrency),
        poison: openPoisonRecord(redis, redisPrefix),
      },
      delivery: {
        writer: openGroupTransaction(store),
        limiter,
        largeLimiter: new DeliveryLimiter(LARGE_LIMITS, limiter),
        resolve: overrides.resolve ?? openResolver(),
      },
      close,
    };
  });
}
