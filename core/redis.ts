/**
 * Redis clients. `openRedis` is for those who must answer at once: a command fails immediately while
 * Redis is away and after a bounded time when it hangs. `openPatientRedis` is for queue workers, whose
 * blocking reads wait for as long as it takes (BullMQ, "Going to production").
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Config } from './config.js';
import { AppError, errorText } from './errors.js';
import type { Logger } from './log.js';
import { type RedisAddress, parseRedisAddress } from './redis-address.js';

const MAX_RETRY_DELAY_MS = 500;
const START_DEADLINE_MS = 5000;
const CLOSE_DEADLINE_MS = 1000;

export type RedisTarget = Pick<Config, 'redis' | 'redisTls' | 'redisIsEmbedded' | 'redisTimeoutMs'>;

/** One server, whichever is the master, or a cluster. */
export type RedisClient = Redis | Cluster;

/** A connected fail-fast client. @throws {AppError} `unavailable` when Redis does not answer. */
export async function openRedis(target: RedisTarget, log: Logger): Promise<RedisClient> {
  const redis = connect(target, log, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: target.redisTimeoutMs,
  });
  try {
    await ready(redis);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new AppError('unavailable', unreachable(target, error), { cause: error });
  }
}

/** A client for blocking reads; it retries for ever and never gives up on a command. */
export function openPatientRedis(target: RedisTarget, log: Logger): RedisClient {
  return connect(target, log, { maxRetriesPerRequest: null });
}

/** Ends a client politely, or by force when Redis does not answer. */
export async function closeRedis(redis: RedisClient): Promise<void> {
  if (redis.status !== 'ready') {
    redis.disconnect();
    return;
  }
  const timer = setTimeout(() => {
    redis.disconnect();
  }, CLOSE_DEADLINE_MS);
  await redis.quit().catch(() => {
    redis.disconnect();
  });
  clearTimeout(timer);
}

/**
 * A client for hearing what is published; it reconnects for ever, and fails no later than others do. In a cluster
 * every node hears everything: it is connected to one of them, and to the next when that one is lost, which a
 * cluster's own subscriber would not tell.
 */
export function openSubscriber(target: RedisTarget, log: Logger): Redis {
  const options = { maxRetriesPerRequest: null, commandTimeout: target.redisTimeoutMs };
  const address = parseRedisAddress(target.redis);
  if (address.kind !== 'cluster') return telling(connectTo(target, address, options), log);
  const redis: Redis = new Redis({
    ...common(target),
    ...options,
    ...address.login,
    ...tlsOf(target, address.isTls),
    ...address.nodes[0],
    retryStrategy: (attempt) => {
      Object.assign(redis.options, address.nodes[attempt % address.nodes.length]);
      return delayBefore(attempt);
    },
  });
  return telling(redis, log);
}

const delayBefore = (attempt: number) => Math.min(attempt * 50, MAX_RETRY_DELAY_MS);

function common({ redisTimeoutMs }: RedisTarget): RedisOptions {
  return {
    connectTimeout: redisTimeoutMs,
    retryStrategy: delayBefore,
    // A master that has become a replica meanwhile: the next connection leads to the new one.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
}

function connect(target: RedisTarget, log: Logger, options: RedisOptions): RedisClient {
  const address = parseRedisAddress(target.redis);
  if (address.kind !== 'cluster') return telling(connectTo(target, address, options), log);
  const { enableOfflineQueue = true, ...redisOptions } = options;
  const cluster = new Cluster(address.nodes, {
    enableOfflineQueue,
    clusterRetryStrategy: delayBefore,
    slotsRefreshTimeout: target.redisTimeoutMs,
    redisOptions: {
      connectTimeout: target.redisTimeoutMs,
      ...redisOptions,
      ...address.login,
      ...tlsOf(target, address.isTls),
    },
  });
  return telling(cluster, log);
}

function connectTo(
  target: RedisTarget,
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  options: RedisOptions,
): Redis {
  if (address.kind === 'server') {
    const tls = target.redisTls ? { tls: target.redisTls } : {};
    return new Redis(address.url, { ...common(target), ...tls, ...options });
  }
  const { sentinels, name, db, login, sentinelPassword, isTls } = address;
  return new Redis({
    ...common(target),
    ...{ sentinels, name, db, ...login, ...tlsOf(target, isTls) },
    ...(isTls ? { enableTLSForSentinelMode: true, sentinelTLS: target.redisTls ?? {} } : {}),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    sentinelRetryStrategy: delayBefore,
    ...options,
  });
}

function tlsOf({ redisTls }: RedisTarget, isTls: boolean): Pick<RedisOptions, 'tls'> {
  return isTls ? { tls: redisTls ?? {} } : {};
}

/** Logs each new fault once, and that it has passed. */
function telling<Client extends RedisClient>(redis: Client, log: Logger): Client {
  let lastFault = '';
  redis.on('error', (error: Error) => {
    const fault = errorText(error);
    if (fault !== lastFault) log.warn('redis connection fault', { fault });
    lastFault = fault;
  });
  redis.on('ready', () => {
    if (lastFault) log.info('redis is back');
    lastFault = '';
  });
  return redis;
}

async function ready(redis: RedisClient): Promise<void> {
  if (redis.status === 'ready') return;
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => (lastError = error));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(lastError ?? new Error('no answer'));
    }, START_DEADLINE_MS);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function unreachable(target: RedisTarget, error: unknown): string {
  return target.redisIsEmbedded
    ? `no Redis at ${target.redis}: set REDIS_URL, or start everything with ./scripts/up (${errorText(error)})`
    : `Redis at REDIS_URL does not answer (${errorText(error)})`;
}
