import type { Redis } from 'ioredis';
import type { RedisClient } from './redis.js';
import { AppError, errorText } from './errors.js';
import type { Logger } from './log.js';

/**
 * Refuses a Redis, or any master of a cluster, that may evict queued mail, and warns about one that may forget it:
 * a 250 to an SMTP client stands on what this Redis keeps.
 * @throws {AppError} `unavailable` when `maxmemory-policy` is not `noeviction`.
 */
export async function checkRedisPolicy(redis: RedisClient, log: Logger): Promise<void> {
  const servers = 'nodes' in redis ? redis.nodes('master') : [redis];
  await Promise.all(servers.map((server) => checkServer(server, log)));
}

async function checkServer(redis: Redis, log: Logger): Promise<void> {
  const [policy, appendOnly, fsync] = await Promise.all(
    ['maxmemory-policy', 'appendonly', 'appendfsync'].map((name) => setting(redis, name, log)),
  );
  if (policy && policy !== 'noeviction') {
    throw new AppError(
      'unavailable',
      `Redis has maxmemory-policy ${policy}, which may drop accepted mail: set it to noeviction`,
    );
  }
  if (appendOnly === 'no' || (fsync && fsync !== 'always')) {
    log.warn('redis may lose accepted mail in a crash: set appendonly yes and appendfsync always', {
      appendOnly,
      fsync,
    });
  }
}

/** A setting's value, or null where the provider does not let clients read it. */
async function setting(redis: Redis, name: string, log: Logger): Promise<string | null> {
  try {
    const reply: unknown = await redis.config('GET', name);
    const pairs = Array.isArray(reply) ? reply : Object.entries(reply as object).flat();
    return typeof pairs[1] === 'string' ? pairs[1] : null;
  } catch (error) {
    log.warn('redis does not tell its settings', { setting: name, fault: errorText(error) });
    return null;
  }
}
