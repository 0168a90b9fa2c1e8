/** Redis configuration. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { flag, redisUrl, textFile, whole } from './values.js';

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
  REDIS_URL: redisUrl().optional(),
  /** Number of replicas that must have a mail before it is accepted. */
  REDIS_MIN_REPLICAS: whole(0, 10).default(0),
  /** Time limit of a command, after which Redis counts as unavailable. */
  REDIS_TIMEOUT_MS: whole(100, 60_000).default(1500),
  /**
   * `require` encrypts without verifying the server certificate, for hosting platforms with
   * self-signed certificates.
   */
  REDIS_TLS: z.enum(['verify', 'require'], 'must be verify or require').optional(),
  REDIS_CA_FILE: textFile().optional(),
  /** Whether production starts with a Redis without an append-only file. */
  REDIS_ALLOW_WEAK_PERSISTENCE: flag().default(false),
  REDIS_PREFIX: z
    .string()
    .regex(/^\{[^{}:]+\}$/, 'must be one hash tag such as {mayfly}')
    .default('{mayfly}'),
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
