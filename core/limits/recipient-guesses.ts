/**
 * Unknown recipients that a client address names in SMTP within one minute, over all processes.
 * Redis keeps the time of each, in a list for each address, so that the minute slides exactly. A
 * list has at most as many times as the limit, of 10 bytes each.
 */
import { LOOPBACK, networkMatcher } from '../config/cidr.ts';
import type { Config } from '../config/config.ts';
import type { RedisClient } from '../redis/client.ts';
import { SKIP_AOF_PREAMBLE } from '../redis/replication.ts';
import { addressGroup } from './rate-limit.ts';

const MINUTE_MS = 60_000;

/** Each count drops up to two times that are over, so a list does not outgrow a minute. */
const ASK = `${SKIP_AOF_PREAMBLE}
local now, limit, counts = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
local first = redis.call('LINDEX', KEYS[1], -limit)
if first and now - first < ${MINUTE_MS} then return 2 end
local last = redis.call('LINDEX', KEYS[1], -1)
if counts then
  for _ = 1, 2 do
    local oldest = redis.call('LINDEX', KEYS[1], 0)
    if oldest and now - oldest >= ${MINUTE_MS} then redis.call('LPOP', KEYS[1]) end
  end
  redis.call('RPUSH', KEYS[1], now)
  redis.call('PEXPIRE', KEYS[1], ${MINUTE_MS})
end
return last and 1 or 0`;

/** How many unknown recipients the address has named in the last minute, against the limit. */
export type Guesses = 'none' | 'some' | 'too many';
const STATES: readonly Guesses[] = ['none', 'some', 'too many'];

/**
 * Both functions resolve to `none` for an address that is not limited, and reject if Redis does not
 * reply.
 */
export interface GuessLimit {
  /** Counts nothing. */
  read: (address: string) => Promise<Guesses>;
  /** Resolves to the state before, and counts one unless that is `too many`. */
  count: (address: string) => Promise<Guesses>;
}

interface AskCommand {
  mayflyGuesses: (key: string, now: number, limit: number, counts: 0 | 1) => Promise<number>;
}

/** Not limited are SMTP_RELAY_CIDRS, and loopback on a private instance. */
export function openGuessLimit(
  { redisPrefix, smtp, isPrivate }: Pick<Config, 'redisPrefix' | 'smtp' | 'isPrivate'>,
  redis: RedisClient,
  now: () => number,
): GuessLimit {
  const { unknownRecipientsPerMinute: limit, relays } = smtp;
  const isExempt = networkMatcher(isPrivate ? [...relays, ...LOOPBACK] : relays);
  redis.defineCommand('mayflyGuesses', { lua: ASK, numberOfKeys: 1 });
  const scripts = redis as RedisClient & AskCommand;
  const ask = async (address: string, counts: 0 | 1): Promise<Guesses> => {
    if (limit === 0 || isExempt(address)) return 'none';
    const key = `${redisPrefix}:count:guesses:${addressGroup(address)}`;
    return STATES[await scripts.mayflyGuesses(key, now(), limit, counts)] ?? 'none';
  };
  return { read: (address) => ask(address, 0), count: (address) => ask(address, 1) };
}
