/** The composition root of web, worker and commands. Nothing but the two roots opens a connection. */
import { openGroupTransaction } from '../db/group-transaction.js';
import { openStore } from '../db/open.js';
import { openInTurn } from './closers.js';
import type { Config } from './config/config.js';
import { nodeCryptography } from './secrets/keyring.js';
import { DeliveryLimiter, LARGE_LIMITS, smallLimits } from './delivery/limits/limiter.js';
import { startLoopClock } from './delivery/limits/loop-clock.js';
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
import { openSweepCursor } from './delivery/sweep-cursor.js';
import { openTokenUse } from './auth/last-used.js';
import type { Context, Overrides } from './context.js';
import { openFrontContext } from './open-front-context.js';

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
    const front = add(await openFrontContext(config, log, overrides, instanceId), (opened) =>
      opened.close(),
    );
    const parsePool = add(openParsePool(config.parseTimeoutMs), (opened) => {
      opened.close();
    });
    const tokenUse = add(openTokenUse(store, front.now, log), (opened) => opened.close());
    const history = openEventHistory(front.redis, config.redisPrefix);
    const events = add(openEventPublisher(history, log), (opened) => opened.close());
    const { now: loopNow } = add(startLoopClock(), ({ stop }) => {
      stop();
    });
    const deliveryLimiter = new DeliveryLimiter(smallLimits(config.webhooks.concurrency), loopNow);
    const eventHub = add(
      openEventHub(history, front.redis, () => openSubscriber(config, log), log),
      (opened) => {
        opened.close();
      },
    );
    return {
      ...front,
      instanceId,
      keyring,
      crypto: overrides.crypto ?? nodeCryptography,
      store,
      mailWriter: openMailWriter(store, front.now, config.messageTtlMs, front.metrics.mail),
      deliveryWriter: openGroupTransaction(store),
      deliveryLimiter,
      largeDeliveryLimiter: new DeliveryLimiter(LARGE_LIMITS, loopNow, deliveryLimiter),
      sweepCursor: openSweepCursor(),
      resolve: overrides.resolve ?? openResolver(),
      parsePool,
      heavyMailQueue: openHeavyMailQueue(config.worker.concurrency),
      poison: openPoisonRecord(front.redis, config.redisPrefix),
      tokenUse,
      browserSessions: openBrowserSessions(front.redis, config.redisPrefix),
      events,
      eventHub,
      close,
    };
  });
}
