import type { Redis } from 'ioredis';
import type { RedisClient } from './client.ts';
import type { Config } from '../config/config.ts';
import { AppError, errorText } from '../errors.ts';
import type { Logger } from '../log.ts';

const SETTINGS = ['maxmemory-policy', 'appendonly', 'appendfsync'] as const;

/** Settings of one server; null if the provider does not allow clients to read one. */
type Values = (string | null)[];

type Rules = Pick<Config, 'production' | 'redisAllowWeakPersistence'>;

/**
 * Rejects a Redis, or a cluster with a master, that can evict queued mail, and in production one
 * without an append-only file: mail is accepted with 250 once Redis has stored it. Other weak
 * persistence is logged as a warning; unreadable settings are logged once.
 * @throws {AppError} `unavailable` if `maxmemory-policy` is not `noeviction`, or if `appendonly` is
 *   `no` in production and `REDIS_ALLOW_WEAK_PERSISTENCE` is not `true`.
 */
export async function checkRedisPolicy(
  redis: RedisClient,
  rules: Rules,
  log: Logger,
): Promise<void> {
  const servers = 'nodes' in redis ? redis.nodes('master') : [redis];
  let fault = '';
  const answers = await Promise.all(
    servers.map((server) =>
      Promise.all(
        SETTINGS.map((name) =>
          setting(server, name).catch((error: unknown) => {
            fault = errorText(error);
            return null;
          }),
        ),
      ),
    ),
  );
  for (const values of answers) checkServer(values, rules, log);
  if (fault !== '') {
    log.warn(
      'redis CONFIG GET not permitted: accepted mail can be lost in a crash unless Redis has ' +
        'maxmemory-policy noeviction, appendonly yes and appendfsync always',
      { fault },
    );
  }
}

function checkServer([policy, appendOnly, fsync]: Values, rules: Rules, log: Logger): void {
  if (policy && policy !== 'noeviction') {
    throw new AppError(
      'unavailable',
      `Redis has maxmemory-policy ${policy} and can evict accepted mail: set it to noeviction`,
    );
  }
  if (appendOnly === 'no' && rules.production && !rules.redisAllowWeakPersistence) {
    throw new AppError(
      'unavailable',
      'Redis has appendonly no and loses accepted mail when it stops: set appendonly yes and appendfsync always, ' +
        'or accept the loss with REDIS_ALLOW_WEAK_PERSISTENCE=true',
    );
  }
  if (appendOnly === 'no' || (fsync && fsync !== 'always')) {
    log.warn('redis can lose accepted mail in a crash: set appendonly yes and appendfsync always', {
      appendOnly,
      fsync,
    });
  }
}

/** @throws if the provider does not allow clients to read the setting. */
async function setting(redis: Redis, name: string): Promise<string> {
  const reply: unknown = await redis.config('GET', name);
  const pairs = Array.isArray(reply) ? reply : Object.entries(reply as object).flat();
  if (typeof pairs[1] !== 'string') throw new Error(`CONFIG GET ${name} returned no value`);
  return pairs[1];
}
