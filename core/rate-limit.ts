/**
 * Rate limits: requests a minute of a workspace, over all its tokens, and invalid tokens and mails a minute
 * of an address. Minutes are those of the clock, the same in every process.
 */
import type { RedisClient } from './redis.js';
import type { WorkspaceRow } from '../db/workspaces.js';
import type { Config } from './config.js';
import type { Logger } from './log.js';
import { addressGroup } from './client-address.js';
import { openWindowCounter } from './window-counter.js';

export const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1000;

/** Counting may hold a request up for this part of what Redis may take for what must be done. */
const PART_FOR_COUNTING = 6;

/** Where someone stands within a limit, after the request counted just now. */
export interface Standing {
  policy: 'workspace' | 'invalid-tokens' | 'mails';
  limit: number;
  remaining: number;
  /** Seconds until the count begins anew. */
  reset: number;
  exceeded: boolean;
}

/** Each counts one more and tells the standing; null where there is no limit. None ever rejects. */
export interface RateLimits {
  countRequest: (workspace: WorkspaceRow) => Promise<Standing | null>;
  countInvalidToken: (address: string) => Promise<Standing | null>;
  countMail: (address: string) => Promise<Standing | null>;
}

export function openRateLimits(
  {
    rateLimits,
    redisPrefix,
    redisTimeoutMs,
    smtp,
  }: Pick<Config, 'rateLimits' | 'redisPrefix' | 'redisTimeoutMs' | 'smtp'>,
  redis: RedisClient,
  now: () => number,
  log: Logger,
): RateLimits {
  const counter = openWindowCounter(
    redis,
    redisPrefix,
    { seconds: WINDOW_SECONDS, patienceMs: redisTimeoutMs / PART_FOR_COUNTING },
    log,
  );
  /** Who has used this window up: refused from here on without asking anyone. */
  const usedUp = new Set<string>();
  let usedUpIn = 0;

  const count = async (policy: Standing['policy'], who: string, limit: number) => {
    if (limit === 0) return null;
    const window = Math.floor(now() / WINDOW_MS);
    if (window !== usedUpIn) usedUp.clear();
    usedUpIn = window;
    const key = `${policy}:${who}:${window}`;
    const total = usedUp.has(key) ? Infinity : await counter.count(key);
    if (total >= limit) usedUp.add(key);
    return {
      policy,
      limit,
      remaining: Math.max(0, limit - total),
      reset: Math.max(1, Math.ceil(((window + 1) * WINDOW_MS - now()) / 1000)),
      exceeded: total > limit,
    };
  };

  return {
    countRequest: ({ id, plan }) => count('workspace', id, rateLimits[plan]),
    countInvalidToken: (address) =>
      count('invalid-tokens', addressGroup(address), rateLimits.authFailures),
    countMail: (address) => count('mails', addressGroup(address), smtp.ratePerIp),
  };
}
