/**
 * Rate limits: requests per minute of a workspace over all its tokens; invalid tokens, sign-ins of
 * the operator and mails per minute of an address; bytes of mail that requests of a workspace
 * store. Windows are minutes of the clock, the same in every process.
 */
import {
  RLWrapperTimeouts,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import ipaddr from 'ipaddr.js';
import type { WorkspaceRow } from '../../db/statements/workspaces.ts';
import type { Config } from '../config/config.ts';
import type { RedisClient } from '../redis/client.ts';
import { SKIP_AOF_PREAMBLE } from '../redis/replication.ts';

export const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;

/** Divisor of REDIS_TIMEOUT_MS: counting waits for Redis for this part of it. */
const PART_FOR_COUNTING = 6;

/**
 * The script of rate-limiter-flexible, without writes to the append-only file: a counter does not
 * justify an fsync. Each window has its own key, so the remaining time needs no lookup.
 */
const INCREMENT = `${SKIP_AOF_PREAMBLE}
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
if total == tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return {total, ARGV[2] * 1000}`;

/** The state of a limit after the current request. */
export interface RateLimitStatus {
  policy: 'workspace' | 'invalid-tokens' | 'operator-sign-ins' | 'mails' | 'stored-bytes';
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
  exceeded: boolean;
}

/** Bytes that were counted. */
export interface CountedBytes extends Pick<RateLimitStatus, 'limit' | 'reset' | 'exceeded'> {
  /** Takes the bytes back in the minute in which they were counted. Never rejects. */
  refund: () => Promise<unknown>;
}

/**
 * Each function counts one event and resolves to the status, or to null without a limit. None
 * rejects.
 */
export interface RateLimits {
  /** @param requests that count, by default one */
  countRequest: (workspace: WorkspaceRow, requests?: number) => Promise<RateLimitStatus | null>;
  /** Counts nothing. */
  readRequests: (workspace: WorkspaceRow) => Promise<RateLimitStatus | null>;
  countInvalidToken: (address: string) => Promise<RateLimitStatus | null>;
  /** To be called before the password is compared, so that no guess is compared above the limit. */
  countSignIn: (address: string) => Promise<RateLimitStatus | null>;
  /** Takes back the count of the right password. */
  refundSignIn: (address: string) => Promise<RateLimitStatus | null>;
  countMail: (address: string) => Promise<RateLimitStatus | null>;
  countStoredBytes: (workspaceId: string, bytes: number) => Promise<CountedBytes | null>;
}

/**
 * Counts in Redis over all processes, and in the process alone while Redis does not respond in
 * time.
 */
export function openRateLimits(
  {
    rateLimits,
    redisPrefix,
    redisTimeoutMs,
    smtp,
  }: Pick<Config, 'rateLimits' | 'redisPrefix' | 'redisTimeoutMs' | 'smtp'>,
  redis: RedisClient,
  now: () => number,
): RateLimits {
  const windowNow = () => Math.floor(now() / WINDOW_MS);
  const open = (policy: RateLimitStatus['policy'], limit: number) => {
    const options = { keyPrefix: `${redisPrefix}:count`, points: limit, duration: WINDOW_SECONDS };
    const limiter = new RLWrapperTimeouts({
      limiter: new RateLimiterRedis({
        ...options,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        // After a refund, more points are free.
        inMemoryBlockOnConsumed: policy === 'stored-bytes' ? 0 : limit,
        customIncrTtlLuaScript: INCREMENT,
      }),
      timeoutMs: redisTimeoutMs / PART_FOR_COUNTING,
      insuranceLimiter: new RateLimiterMemory(options),
    });
    return async (
      who: string,
      points = 1,
      window = windowNow(),
    ): Promise<RateLimitStatus | null> => {
      if (limit === 0) return null;
      const key = `${policy}:${who}:${window}`;
      const { exceeded, remaining } = await limiter.consume(key, points).then(
        ({ remainingPoints }) => ({ exceeded: false, remaining: remainingPoints }),
        (refusal: unknown) => {
          if (!(refusal instanceof RateLimiterRes)) throw refusal;
          return { exceeded: true, remaining: 0 };
        },
      );
      const reset = Math.max(1, Math.ceil(((window + 1) * WINDOW_MS - now()) / 1000));
      return { policy, limit, remaining, reset, exceeded };
    };
  };

  const requests = {
    free: open('workspace', rateLimits.free),
    pro: open('workspace', rateLimits.pro),
  };
  const invalidTokens = open('invalid-tokens', rateLimits.authFailures);
  const signIns = open('operator-sign-ins', rateLimits.authFailures);
  const mails = open('mails', smtp.ratePerIp);
  const storedBytes = open('stored-bytes', rateLimits.storedBytes);
  return {
    countRequest: ({ id, plan }, count) => requests[plan](id, count),
    readRequests: ({ id, plan }) => requests[plan](id, 0),
    countInvalidToken: (address) => invalidTokens(addressGroup(address)),
    countSignIn: (address) => signIns(addressGroup(address)),
    refundSignIn: (address) => signIns(addressGroup(address), -1),
    countMail: (address) => mails(addressGroup(address)),
    async countStoredBytes(workspaceId, bytes) {
      const window = windowNow();
      const standing = await storedBytes(workspaceId, bytes, window);
      return standing && { ...standing, refund: () => storedBytes(workspaceId, -bytes, window) };
    },
  };
}

/**
 * The network that identifies a client in limits: an IPv4 address, including IPv4-mapped ones, or
 * the /64 prefix of an IPv6 address, the smallest assignment to a site (RFC 6177 section 2).
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
