/**
 * The one composition root: opens what a process needs, in order, and closes it in reverse. Nothing else
 * opens a connection.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import type { GroupCommit } from '../db/group-commit.js';
import { type GroupTransaction, openGroupTransaction } from '../db/group-transaction.js';
import type { MailRows, StoreResult } from '../db/mails.js';
import { openStore } from '../db/open.js';
import type { Store } from '../db/store.js';
import { type Queues, openQueues } from '../jobs/queues.js';
import type { BlobStore } from './blobs.js';
import type { Config } from './config.js';
import { type Directory, openDirectory } from './directory.js';
import { type Cryptography, nodeCryptography } from './crypto.js';
import { type DeliverySlots, WEBHOOK_SLOTS, openDeliverySlots } from './delivery-slots.js';
import { openEventHistory } from './event-history.js';
import { type EventHub, openEventHub } from './event-hub.js';
import { type EventPublisher, openEventPublisher } from './event-publisher.js';
import { openInstance } from './instance.js';
import { checkSameInstance, joinInstance } from './instance-marks.js';
import type { Keyring } from './keyring.js';
import type { Logger } from './log.js';
import { LARGE_LIMITS } from './large-deliveries.js';
import { openMailWriter } from './mail-writer.js';
import { type MetricReports, openMetricReports } from './metric-reports.js';
import { type Metrics, openMetrics } from './metrics.js';
import { openBlobs } from './open-blobs.js';
import { type ParsePool, openParsePool } from './parse-pool.js';
import { type PoisonRecord, openPoisonRecord } from './poison.js';
import { type RateLimits, openRateLimits } from './rate-limit.js';
import { type RawMail, openRawMail } from './raw-mail.js';
import { type RedisClient, closeRedis, openRedis, openSubscriber } from './redis.js';
import { type Replication, openReplication } from './replication.js';
import { checkRedisPolicy } from './redis-policy.js';
import { type Resolve, openResolver } from './resolver.js';
import { type Sessions, openSessions } from './sessions.js';
import { type Share, openShare } from './share.js';
import { type SweepCursor, openSweepCursor } from './sweep-cursor.js';
import { type TokenUse, openTokenUse } from './token-use.js';

/** Of the mails that a worker handles at once, those that wait for a parsing child or are parsed by one. */
const HEAVY_SHARE = 0.25;

/** What the SMTP front end works with: Redis and the blob store, no database. */
export interface FrontContext {
  readonly config: Config;
  readonly log: Logger;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly redis: RedisClient;
  readonly blobs: BlobStore;
  readonly directory: Directory;
  readonly rawMail: RawMail;
  readonly queues: Queues;
  readonly rateLimits: RateLimits;
  /** What this process counts. */
  readonly metrics: Metrics;
  /** What every process has counted. */
  readonly metricReports: MetricReports;
  readonly replication: Replication;
  readonly close: () => Promise<void>;
}

/** What web, worker and scripts work with. */
export interface Context extends FrontContext {
  /** Of the service that database, Redis and blob store belong to. */
  readonly instanceId: string;
  readonly keyring: Keyring;
  readonly crypto: Cryptography;
  readonly store: Store;
  readonly mailWriter: GroupCommit<MailRows, StoreResult>;
  /** Claims and results of deliveries. */
  readonly deliveryWriter: GroupTransaction;
  readonly deliverySlots: DeliverySlots;
  /** Of deliveries with large bodies. */
  readonly largeDeliverySlots: DeliverySlots;
  readonly sweepCursor: SweepCursor;
  /** The addresses of a receiver's host name. */
  readonly resolve: Resolve;
  readonly parsePool: ParsePool;
  /** The places that mail for the children may take. */
  readonly heavyMail: Share;
  readonly poison: PoisonRecord;
  /** Lets in, one at a time, the mail that workers have died with. */
  readonly suspects: LimitFunction;
  readonly tokenUse: TokenUse;
  readonly sessions: Sessions;
  /** Tells what happened. */
  readonly events: EventPublisher;
  /** Hears of it. */
  readonly eventHub: EventHub;
}

export interface Overrides {
  now?: () => number;
  crypto?: Cryptography;
  resolve?: Resolve;
}

/**
 * @param instanceId whose Redis and blob store have to be; null for a process that knows no database.
 * @throws {AppError} `unavailable`, with a text for the operator, when Redis is away, unfit or another instance's.
 */
export async function openFrontContext(
  config: Config,
  log: Logger,
  overrides: Overrides = {},
  instanceId: string | null = null,
): Promise<FrontContext> {
  const blobs = await openBlobs(config);
  const redis = await openRedis(config, log);
  try {
    await checkRedisPolicy(redis, log);
    const parts = { redis, redisPrefix: config.redisPrefix, blobs };
    if (instanceId === null) await checkSameInstance(parts, log);
    else await joinInstance(instanceId, parts, log);
  } catch (error) {
    await closeRedis(redis);
    await blobs.close();
    throw error;
  }
  const queues = openQueues(redis, config.redisPrefix, log);
  const now = overrides.now ?? Date.now;
  const replication = openReplication(config, log);
  return {
    config,
    log,
    now,
    redis,
    blobs,
    directory: openDirectory(redis, config.redisPrefix),
    rawMail: openRawMail(redis, config.redisPrefix, blobs, config.maxQueuedBytes),
    queues,
    rateLimits: openRateLimits(config, redis, now, log),
    metrics: openMetrics(config.role),
    metricReports: openMetricReports(redis, config.redisPrefix),
    replication,
    close: async () => {
      await queues.close();
      await replication.close();
      await closeRedis(redis);
      await blobs.close();
    },
  };
}

/** @throws {AppError} `unavailable`, with a text for the operator, when a part cannot be opened. */
export async function openContext(
  config: Config,
  log: Logger,
  overrides: Overrides = {},
): Promise<Context> {
  const { keyring } = config;
  if (!keyring) throw new Error('a context with a database needs ENCRYPTION_KEYS');
  const store = await openStore(config);
  try {
    const instanceId = await openInstance(store);
    const front = await openFrontContext(config, log, overrides, instanceId);
    const parsePool = openParsePool(config.parseTimeoutMs);
    const tokenUse = openTokenUse(store, front.now, log);
    const history = openEventHistory(front.redis, config.redisPrefix);
    const events = openEventPublisher(history, log);
    const deliverySlots = openDeliverySlots({
      capacity: config.webhooks.concurrency,
      slots: WEBHOOK_SLOTS,
    });
    const eventHub = openEventHub(history, front.redis, () => openSubscriber(config, log), log);
    return {
      ...front,
      instanceId,
      keyring,
      crypto: overrides.crypto ?? nodeCryptography,
      store,
      mailWriter: openMailWriter(store, front.now, config.messageTtlMs, front.metrics.mail),
      deliveryWriter: openGroupTransaction(store),
      deliverySlots,
      largeDeliverySlots: openDeliverySlots(LARGE_LIMITS, deliverySlots.known),
      sweepCursor: openSweepCursor(),
      resolve: overrides.resolve ?? openResolver(),
      parsePool,
      heavyMail: openShare(Math.ceil(config.worker.concurrency * HEAVY_SHARE)),
      poison: openPoisonRecord(front.redis, config.redisPrefix),
      suspects: pLimit(1),
      tokenUse,
      sessions: openSessions(front.redis, config.redisPrefix),
      events,
      eventHub,
      close: async () => {
        eventHub.close();
        await events.settle();
        await tokenUse.close();
        await parsePool.close();
        await front.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
