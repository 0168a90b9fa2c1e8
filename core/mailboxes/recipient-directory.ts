/**
 * The recipient directory, with which RCPT is decided without the database. It has three Redis
 * keys: a set of domains, a hash from `name@domain` to mailbox id, and a mark that both are
 * complete. Without the mark, unknown addresses are deferred instead of rejected. The database is
 * authoritative; {@link rebuild} and {@link compare} correct the directory.
 */
import type { RedisClient } from '../redis/client.js';
import { type Recipient, mailboxAddress } from '../addresses.js';

/** An address of a live mailbox, from the database. */
export interface DirectoryEntry {
  address: string;
  mailboxId: string;
}

/** The entry is outdated: the address belongs to a newer mailbox, or the mailbox was removed. */
export class StaleEntryError extends Error {}

/** Access of the directory to the database. */
export interface DirectorySource {
  domains: () => Promise<string[]>;
  /** Live mailboxes in pages, in any order. */
  pages: () => AsyncIterable<DirectoryEntry[]>;
  /** The live mailboxes of these addresses; addresses without one are absent. */
  find: (addresses: string[]) => Promise<DirectoryEntry[]>;
}

export type Lookup =
  | { outcome: 'mailbox'; mailboxId: string; address: string }
  | { outcome: 'unknown' | 'foreign' | 'incomplete' };

export interface Directory {
  /** The mailbox of this recipient, in one round trip and one atomic read. */
  lookup: (recipient: Recipient) => Promise<Lookup>;
  addDomain: (domain: string) => Promise<void>;
  removeDomain: (domain: string) => Promise<void>;
  /**
   * Sets the address, unless it belongs to a newer mailbox (ids sort by time) or this mailbox was
   * removed meanwhile: the command can arrive late. @throws {StaleEntryError} in both cases.
   */
  add: (entry: DirectoryEntry) => Promise<void>;
  /**
   * Removes the address, unless it now belongs to another mailbox. A later {@link add} has no
   * effect.
   */
  remove: (entry: DirectoryEntry) => Promise<void>;
  isComplete: () => Promise<boolean>;
  /**
   * Adds missing entries, then sets the mark. Safe to run concurrently with any other operation.
   */
  rebuild: (source: DirectorySource) => Promise<void>;
  /** Corrects every entry that differs from the database; returns their number. */
  compare: (source: DirectorySource) => Promise<number>;
}

/** Sets a field (or deletes it, for an empty new value) if it still has the value read before. */
const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])
else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`;

/** Lua compares strings by the locale of Redis, while ids sort by bytes. */
const ADD = `
local function isAfter(a, b)
  for i = 1, math.min(#a, #b) do
    if a:byte(i) ~= b:byte(i) then return a:byte(i) > b:byte(i) end
  end
  return #a > #b
end
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local seen = redis.call('HGET', KEYS[1], ARGV[1])
if seen and isAfter(seen, ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1`;

const REMOVE = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('SET', KEYS[2], '1', 'EX', ARGV[3])
return 1`;

/** Longer than a command can wait for a connection; the next comparison corrects later ones. */
const REMOVED_TTL_SECONDS = 600;

/** All three in one atomic read: a flush in between must not make a known address look unknown. */
const LOOKUP = `
return { redis.call('EXISTS', KEYS[1]), redis.call('SISMEMBER', KEYS[2], ARGV[1]),
  redis.call('HGET', KEYS[3], ARGV[2]) }`;

interface LookupCommand {
  mayflyLookup: (...args: string[]) => Promise<[number, number, string | null]>;
}

const SCAN_COUNT = 500;

export function openDirectory(redis: RedisClient, prefix: string): Directory {
  const mark = `${prefix}:directory:complete`;
  const domains = `${prefix}:directory:domains`;
  const mailboxes = `${prefix}:directory:mailboxes`;
  const removed = (mailboxId: string) => `${prefix}:directory:removed:${mailboxId}`;
  redis.defineCommand('mayflyLookup', { numberOfKeys: 3, lua: LOOKUP });
  const scripts = redis as RedisClient & LookupCommand;

  const replace = async (address: string, seen: string, now: string) =>
    (await redis.eval(REPLACE, 1, mailboxes, address, seen, now)) === 1;

  /** HSETNX: an existing entry is at least as new as the page being read. */
  const addMissing = async (source: DirectorySource) => {
    const known = await source.domains();
    if (known.length > 0) await redis.sadd(domains, known);
    let added = 0;
    for await (const page of source.pages()) {
      const pipeline = redis.pipeline();
      for (const entry of page) pipeline.hsetnx(mailboxes, entry.address, entry.mailboxId);
      for (const [error, reply] of (await pipeline.exec()) ?? []) {
        if (error) throw error;
        added += reply === 1 ? 1 : 0;
      }
    }
    return added;
  };

  /** Reads Redis before the database: an entry exists only after its row. */
  const correctStale = async (source: DirectorySource) => {
    let corrected = 0;
    let cursor = '0';
    do {
      const [next, flat] = await redis.hscan(mailboxes, cursor, 'COUNT', SCAN_COUNT);
      cursor = next;
      const seen = pairs(flat);
      const live = new Map(
        (await source.find([...seen.keys()])).map((entry) => [entry.address, entry.mailboxId]),
      );
      for (const [address, mailboxId] of seen) {
        const truth = live.get(address) ?? '';
        if (truth !== mailboxId && (await replace(address, mailboxId, truth))) corrected += 1;
      }
    } while (cursor !== '0');
    return corrected;
  };

  const removeStaleDomains = async (source: DirectorySource) => {
    const seen = await redis.smembers(domains);
    const known = new Set(await source.domains());
    const stale = seen.filter((domain) => !known.has(domain));
    return stale.length > 0 ? redis.srem(domains, stale) : 0;
  };

  return {
    async lookup(recipient) {
      const address = mailboxAddress(recipient.name, recipient.domain);
      const [complete, ours, mailboxId] = await scripts.mayflyLookup(
        mark,
        domains,
        mailboxes,
        recipient.domain,
        address,
      );
      if (complete !== 1) return { outcome: 'incomplete' };
      if (mailboxId !== null) return { outcome: 'mailbox', mailboxId, address };
      return { outcome: ours === 1 ? 'unknown' : 'foreign' };
    },
    async addDomain(domain) {
      await redis.sadd(domains, domain);
    },
    async removeDomain(domain) {
      await redis.srem(domains, domain);
    },
    async add(entry) {
      const { address, mailboxId } = entry;
      const keys = [mailboxes, removed(mailboxId)];
      if ((await redis.eval(ADD, 2, ...keys, address, mailboxId)) !== 1)
        throw new StaleEntryError();
    },
    async remove(entry) {
      const { address, mailboxId } = entry;
      const keys = [mailboxes, removed(mailboxId)];
      await redis.eval(REMOVE, 2, ...keys, address, mailboxId, REMOVED_TTL_SECONDS);
    },
    isComplete: async () => (await redis.exists(mark)) === 1,
    async rebuild(source) {
      await addMissing(source);
      await redis.set(mark, '1');
    },
    async compare(source) {
      return (
        (await addMissing(source)) +
        (await correctStale(source)) +
        (await removeStaleDomains(source))
      );
    },
  };
}

function pairs(flat: string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < flat.length; i += 2) map.set(flat[i] ?? '', flat[i + 1] ?? '');
  return map;
}
