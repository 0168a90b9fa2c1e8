/** Redis configuration. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { flag, redisUrl, textFile, whole } from './values.ts';

/**
 * `sun_path` of a Unix socket holds 108 bytes on Linux, including the terminating NUL (unix(7)).
 */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Verification of the server certificate for `rediss://`; null for the default certificate
 * authorities of Node.
 */
export type RedisTls = { readonly rejectUnauthorized: boolean; readonly ca?: string } | null;

export const redisVariables = {
  REDIS_URL: redisUrl().optional().meta({
    description: 'Redis server, sentinels or cluster; see [Redis](#redis).',
    fallback: 'socket of the embedded Redis in `DATA_DIR`',
  }),
  REDIS_MIN_REPLICAS: whole(0, 10)
    .default(0)
    .meta({ description: 'Replicas that must hold a mail before SMTP answers 250.' }),
  REDIS_TIMEOUT_MS: whole(100, 60_000).default(1500).meta({
    description:
      'Time in milliseconds that the API waits for a Redis command. SMTP waits 8 s at RCPT and 20 s after DATA.',
  }),
  REDIS_TLS: z.enum(['verify', 'require'], 'must be verify or require').optional().meta({
    description:
      'TLS of `rediss://`. `require` encrypts but does not verify the server certificate.',
    fallback: '`verify`',
  }),
  REDIS_CA_FILE: textFile()
    .optional()
    .meta({ description: 'PEM file with the authority that signed the certificate of Redis.' }),
  REDIS_ALLOW_WEAK_PERSISTENCE: flag()
    .default(false)
    .meta({ description: 'Allows production to start on a Redis with `appendonly no`.' }),
  REDIS_PREFIX: z
    .string()
    .regex(/^\{[^{}:]+\}$/, 'must be one hash tag such as {mayfly}')
    .default('{mayfly}')
    .meta({ description: 'Prefix of every Redis key: one hash tag.', accepts: 'text in braces' }),
};

type RedisEnvironment = z.infer<z.ZodObject<typeof redisVariables>>;

export function redisFaults(e: RedisEnvironment): string[] {
  const isTls = e.REDIS_URL?.startsWith('rediss') ?? false;
  const tls = (['REDIS_TLS', 'REDIS_CA_FILE'] as const)
    .filter((name) => e[name] !== undefined && !isTls)
    .map((name) => `${name} is set, but REDIS_URL does not start with rediss`);
  return e.REDIS_MIN_REPLICAS > 0 && e.REDIS_URL === undefined
    ? [
        ...tls,
        'REDIS_MIN_REPLICAS is set, but REDIS_URL is not: the embedded Redis has no replicas',
      ]
    : tls;
}

export function redisConfig(e: RedisEnvironment, dataDir: string) {
  return {
    /** See redis-address.ts. Contains the password: never log it. */
    redis: e.REDIS_URL ?? embeddedRedisSocket(dataDir),
    redisTls: redisTls(e),
    redisIsEmbedded: e.REDIS_URL === undefined,
    redisTimeoutMs: e.REDIS_TIMEOUT_MS,
    redisMinReplicas: e.REDIS_MIN_REPLICAS,
    redisAllowWeakPersistence: e.REDIS_ALLOW_WEAK_PERSISTENCE,
    redisPrefix: e.REDIS_PREFIX,
  };
}

function redisTls({ REDIS_TLS: mode, REDIS_CA_FILE: ca }: RedisEnvironment): RedisTls {
  if (mode === undefined && ca === undefined) return null;
  return { rejectUnauthorized: mode !== 'require', ...(ca === undefined ? {} : { ca }) };
}

/**
 * Path of the socket of the embedded Redis. If the path is too long for a socket, it is replaced by
 * a name in the temporary folder derived from the path, so every process finds the same socket.
 */
export function embeddedRedisSocket(dataDir: string): string {
  const path = join(dataDir, 'redis', 'redis.sock');
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 32);
  return join(tmpdir(), `mayfly-${name}.sock`);
}
