/**
 * Sessions of browsers: a random id stands for a token, so that no page ever keeps the token itself. Redis holds
 * the id's hash only, and forgets it when it has not been used for long. A session is worth what its token is:
 * the token is looked up for each request, and a revoked one ends all its sessions.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RedisClient } from './redis.js';
import { AppError } from './errors.js';

/** A session ends when it was not used for so long. */
export const SESSION_IDLE_SECONDS = 12 * 3600;

/** Use is written down when this much of that time has gone. */
const RENEW_AFTER_SECONDS = 600;

const ID = /^[A-Za-z0-9_-]{43}$/;

export interface Sessions {
  /** Begins a session for this token and tells its id. @throws {AppError} `unavailable`. */
  begin: (tokenId: string) => Promise<string>;
  /** The token that this session stands for, or null when there is none. @throws {AppError} `unavailable`. */
  find: (id: string) => Promise<string | null>;
  /** @throws {AppError} `unavailable`. */
  end: (id: string) => Promise<void>;
}

export function openSessions(redis: RedisClient, prefix: string): Sessions {
  const keyOf = (id: string) =>
    `${prefix}:session:${createHash('sha256').update(id).digest('base64url')}`;

  return {
    begin: (tokenId) =>
      reached(async () => {
        const id = randomBytes(32).toString('base64url');
        await redis.set(keyOf(id), tokenId, 'EX', SESSION_IDLE_SECONDS);
        return id;
      }),
    find: (id) =>
      reached(async () => {
        if (!ID.test(id)) return null;
        const key = keyOf(id);
        const [tokenId, left] = await Promise.all([redis.get(key), redis.ttl(key)]);
        if (tokenId !== null && left < SESSION_IDLE_SECONDS - RENEW_AFTER_SECONDS) {
          await redis.expire(key, SESSION_IDLE_SECONDS);
        }
        return tokenId;
      }),
    end: (id) =>
      reached(async () => {
        await redis.del(keyOf(id));
      }),
  };
}

/** What proves that a page of ours asks: only it can read the answer that tells this. */
export function csrfToken(sessionId: string): string {
  return createHmac('sha256', sessionId).update('csrf').digest('base64url');
}

export function isCsrfToken(sessionId: string, given: string): boolean {
  const expected = Buffer.from(csrfToken(sessionId));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

async function reached<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    throw new AppError('unavailable', 'The sessions cannot be reached.', { cause });
  }
}
