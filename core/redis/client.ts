/**
 * Redis clients. `openRedis` fails fast: commands fail at once while Redis is unreachable, and
 * after a time limit if Redis hangs. `openBlockingRedis` is for queue workers, whose blocking reads
 * wait without a limit (BullMQ, "Going to production"). `openSubscriber` is for publish/subscribe.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Config } from '../config/config.ts';
import { AppError, errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type RedisAddress, parseRedisAddress } from '../config/redis-address.ts';
import { followSentinels } from './follow-sentinels.ts';

const MAX_RETRY_DELAY_MS = 500;
const START_DEADLINE_MS = 5000;
const CLOSE_DEADLINE_MS = 1000;

export type RedisTarget = Pick<Config, 'redis' | 'redisTls' | 'redisIsEmbedded' | 'redisTimeoutMs'>;

/** A single server, the current master, or a cluster. */
export type RedisClient = Redis | Cluster;

/**
 * A connected fail-fast client. Regardless of `commandTimeoutMs`, a command fails once its
 * connection is lost and the next attempt to connect fails too.
 * @param commandTimeoutMs time limit of a command on a live connection.
 * @throws {AppError} `unavailable` if Redis does not respond.
 */
export async function openRedis(
  target: RedisTarget,
  log: Logger,
  commandTimeoutMs = target.redisTimeoutMs,
): Promise<RedisClient> {
  const redis = connect(target, log, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: commandTimeoutMs,
  });
  try {
    await ready(redis);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new AppError('unavailable', unreachable(target, error), { cause: error });
  }
}

/** A client for blocking reads. It retries every command without a limit. */
export function openBlockingRedis(target: RedisTarget, log: Logger): RedisClient {
  return connect(target, log, { maxRetriesPerRequest: null });
}

/** Closes a client with QUIT, or disconnects it if Redis does not respond within 1 s. */
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
 * A client for subscriptions. It reconnects without a limit. In a cluster every node receives every
 * message: the client connects to one node, and to the next one if that connection is lost. The
 * subscriber of ioredis's cluster client does not report a lost connection.
 */
export function openSubscriber(target: RedisTarget, log: Logger): Redis {
  const options = { maxRetriesPerRequest: null, commandTimeout: target.redisTimeoutMs };
  const address = parseRedisAddress(target.redis);
  if (address.kind !== 'cluster') return logFaults(connectTo(target, address, options), log);
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
  return logFaults(redis, log);
}

/**
 * A client that receives what Redis reports to clients that cache (redis.io/docs, "CLIENT
 * TRACKING"), as messages of a channel; null for a cluster, where a report names the keys of one
 * node only. The caller enables the reports on each new connection.
 */
export function openTrackingClient(target: RedisTarget, log: Logger): Redis | null {
  const address = parseRedisAddress(target.redis);
  if (address.kind === 'cluster') return null;
  const client = connectTo(target, address, {
    protocol: 2, // ioredis drops the reports that come as pushes of RESP3
    autoResubscribe: false, // CLIENT TRACKING comes first
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: target.redisTimeoutMs,
  });
  return logFaults(client, log);
}

/**
 * Returns a function that batches all commands of this turn of the event loop into one write,
 * instead of one system call per command (docs/decisions.md, 10). The batch is written before Node
 * waits for input again, so it adds no delay.
 */
export function writeBatcher(redis: RedisClient): () => void {
  if (!('stream' in redis)) return () => undefined; // a cluster client has one connection per node
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    const { stream } = redis;
    stream.cork();
    setImmediate(() => {
      isCorked = false;
      stream.uncork();
    });
  };
}

/** Begin of the messages of ioredis without a server, and of a server that is not available. */
const UNAVAILABLE = [
  ...['Command timed out', 'Connection is closed', "Stream isn't writeable", 'connect ', 'read '],
  ...['Reached the max retries', 'Failed to refresh slots', 'All sentinels', 'write '],
  ...['LOADING ', 'READONLY ', 'MASTERDOWN ', 'CLUSTERDOWN ', 'TRYAGAIN ', 'OOM ', 'BUSY '],
];

/** Whether a command has failed because Redis cannot be reached or used, and not by its content. */
export function isRedisUnavailable(error: unknown): boolean {
  return UNAVAILABLE.some((begin) => errorText(error).startsWith(begin));
}

const delayBefore = (attempt: number) => Math.min(attempt * 50, MAX_RETRY_DELAY_MS);

function common({ redisTimeoutMs }: RedisTarget): RedisOptions {
  return {
    connectTimeout: redisTimeoutMs,
    retryStrategy: delayBefore,
    // The master may have become a replica; reconnecting leads to the new master.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
}

function connect(target: RedisTarget, log: Logger, options: RedisOptions): RedisClient {
  const address = parseRedisAddress(target.redis);
  if (address.kind !== 'cluster') return logFaults(connectTo(target, address, options), log);
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
  return logFaults(cluster, log);
}

function connectTo(
  target: RedisTarget,
  address: Exclude<RedisAddress, { kind: 'cluster' }>,
  options: RedisOptions,
): Redis {
  if (address.kind === 'socket') {
    // Not as a string, whose "?" would start options of a URL.
    return new Redis({ ...common(target), ...options, path: address.path });
  }
  if (address.kind === 'server') {
    const tls = target.redisTls ? { tls: target.redisTls } : {};
    return new Redis(address.url, { ...common(target), ...tls, ...options });
  }
  const { sentinels, name, db, login, sentinelPassword, isTls } = address;
  const client = new Redis({
    ...common(target),
    ...{ sentinels, name, db, ...login, ...tlsOf(target, isTls) },
    ...(isTls ? { enableTLSForSentinelMode: true, sentinelTLS: target.redisTls ?? {} } : {}),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    sentinelRetryStrategy: delayBefore,
    ...options,
  });
  followSentinels(client, address, { ...common(target), ...tlsOf(target, isTls) });
  return client;
}

function tlsOf({ redisTls }: RedisTarget, isTls: boolean): Pick<RedisOptions, 'tls'> {
  return isTls ? { tls: redisTls ?? {} } : {};
}

/** Logs each new error once, and the recovery. */
function logFaults<Client extends RedisClient>(redis: Client, log: Logger): Client {
  let lastFault = '';
  redis.on('error', (error: Error) => {
    const fault = errorText(error);
    if (fault !== lastFault) log.warn('redis connection error', { fault });
    lastFault = fault;
  });
  redis.on('ready', () => {
    if (lastFault) log.info('redis connection restored');
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
      reject(lastError ?? new Error('no response'));
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
    : `Redis at REDIS_URL does not respond (${errorText(error)})`;
}
