/**
 * Browser sessions: a random id refers to a token, so no page stores the token itself. Redis holds
 * a hash of the id, which expires when the session is idle. The token is looked up for each
 * request, so a revoked token ends all its sessions.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Cluster } from 'ioredis';
import type { RedisClient } from '../redis/client.ts';
import { AppError } from '../errors.ts';

/** Idle time after which a session expires. */
export const SESSION_TTL_SECONDS = 12 * 3600;

/** The TTL is refreshed once this much of it has passed. */
const TTL_REFRESH_SECONDS = 600;

/** Keys of one SCAN. */
const KEYS_A_ROUND = 1000;

const ID = /^[A-Za-z0-9_-]{43}$/;

export interface BrowserSessions {
  /** Creates a session for this token; resolves to its id. @throws {AppError} `unavailable`. */
  create: (tokenId: string) => Promise<string>;
  /** The token of this session, or null. @throws {AppError} `unavailable`. */
  find: (id: string) => Promise<string | null>;
  /** @throws {AppError} `unavailable`. */
  delete: (id: string) => Promise<void>;
  /**
   * Deletes all sessions of these tokens; reads every session key. @throws {AppError}
   * `unavailable`.
   */
  deleteAll: (tokenIds: string[]) => Promise<void>;
}

export function openBrowserSessions(redis: RedisClient, prefix: string): BrowserSessions {
  const keyOf = (id: string) =>
    `${prefix}:session:${createHash('sha256').update(id).digest('base64url')}`;

  return {
    create: (tokenId) =>
      orUnavailable(async () => {
        const id = randomBytes(32).toString('base64url');
        await redis.set(keyOf(id), tokenId, 'EX', SESSION_TTL_SECONDS);
        return id;
      }),
    find: (id) =>
      orUnavailable(async () => {
        if (!ID.test(id)) return null;
        const key = keyOf(id);
        const [tokenId, left] = await Promise.all([redis.get(key), redis.ttl(key)]);
        if (tokenId !== null && left < SESSION_TTL_SECONDS - TTL_REFRESH_SECONDS) {
          await redis.expire(key, SESSION_TTL_SECONDS);
        }
        return tokenId;
      }),
    delete: (id) =>
      orUnavailable(async () => {
        await redis.del(keyOf(id));
      }),
    deleteAll: (tokenIds) =>
      orUnavailable(async () => {
        const ended = new Set(tokenIds);
        for await (const keys of keysOf(redis, `${prefix}:session:`)) {
          const found = await Promise.all(keys.map((key) => redis.get(key)));
          const over = keys.filter((_, i) => ended.has(found[i] ?? ''));
          await Promise.all(over.map((key) => redis.del(key)));
        }
      }),
  };
}

/**
 * The CSRF token of a session. Only pages of this origin can read the response that contains it.
 */
export function csrfToken(sessionId: string): string {
  return createHmac('sha256', sessionId).update('csrf').digest('base64url');
}

export function isCsrfToken(sessionId: string, given: string): boolean {
  const expected = Buffer.from(csrfToken(sessionId));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

async function orUnavailable<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    throw new AppError(
      'unavailable',
      'Sessions are temporarily unavailable. Retry in a few seconds.',
      { cause },
    );
  }
}

/**
 * The keys that start with `start`, in pages, on every node of a cluster. SCAN iterates over the
 * whole keyspace without blocking it; a key that exists throughout is returned at least once
 * (redis.io/docs, "SCAN").
 */
async function* keysOf(redis: RedisClient, start: string): AsyncIterable<string[]> {
  const pattern = `${start.replace(/[*?[\]\\]/g, '\\$&')}*`;
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_A_ROUND);
      cursor = next;
      if (keys.length > 0) yield keys;
    } while (cursor !== '0');
  }
}
