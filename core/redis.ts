/**
 * Redis clients. `openRedis` is for those who must answer at once: a command fails immediately while
 * Redis is away and after a bounded time when it hangs. `openPatientRedis` is for queue workers, whose
 * blocking reads wait for as long as it takes (BullMQ, "Going to production").
 */
import { Redis, type RedisOptions } from 'ioredis';
import type { Config } from './config.js';
import { AppError, errorText } from './errors.js';
import type { Logger } from './log.js';

const COMMAND_TIMEOUT_MS = 1500;
const MAX_RETRY_DELAY_MS = 500;
const START_DEADLINE_MS = 5000;
const CLOSE_DEADLINE_MS = 1000;

export type RedisTarget = Pick<Config, 'redis' | 'redisTls' | 'redisIsEmbedded'>;

/** A connected fail-fast client. @throws {AppError} `unavailable` when Redis does not answer. */
export async function openRedis(target: RedisTarget, log: Logger): Promise<Redis> {
  const redis = connect(target, log, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: COMMAND_TIMEOUT_MS,
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
export function openPatientRedis(target: RedisTarget, log: Logger): Redis {
  return connect(target, log, { maxRetriesPerRequest: null });
}

/** Ends a client politely, or by force when Redis does not answer. */
export async function closeRedis(redis: Redis): Promise<void> {
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

/** A client for hearing what is published; it reconnects for ever, and fails no later than others do. */
export function openSubscriber(target: RedisTarget, log: Logger): Redis {
  return connect(target, log, { maxRetriesPerRequest: null, commandTimeout: COMMAND_TIMEOUT_MS });
}

function connect(target: RedisTarget, log: Logger, options: RedisOptions): Redis {
  const redis = new Redis(target.redis, {
    connectTimeout: COMMAND_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RETRY_DELAY_MS),
    ...(target.redisTls ? { tls: target.redisTls } : {}),
    ...options,
  });
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

async function ready(redis: Redis): Promise<void> {
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
