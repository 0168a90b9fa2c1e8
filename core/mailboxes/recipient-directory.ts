/**
 * The recipient directory, with which RCPT is decided without the database. It has three Redis
 * keys: a set of domains, a hash from `name@domain` to mailbox id, and a mark that both are
 * complete. Without the mark, unknown addresses are deferred instead of rejected. The database is
 * authoritative; {@link rebuild} and {@link compare} correct the directory.
 */
import type { RedisClient } from '../redis/client.js';
import { type Recipient, mailboxAddress } from '../addresses.js';
import { type MirrorSource, openMirroredHash } from './mirrored-hash.js';

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
  /**
   * The mailbox that catches mail for an address without a mailbox: the one of `catchAllAddress`.
   * Null if it does not exist, or if a mailbox with this address was deleted within the last hour.
   */
  catcherOf: (catchAllAddress: string, address: string) => Promise<string | null>;
  addDomain: (domain: string) => Promise<void>;
  removeDomain: (domain: string) => Promise<void>;
  /**
   * Sets the address, unless it belongs to a newer mailbox (ids sort by time) or this mailbox was
   * removed meanwhile: the command can arrive late. @throws {StaleEntryError} in both cases.
   */
  add: (entry: DirectoryEntry) => Promise<void>;
  /**
   * Removes the address, unless it now belongs to another mailbox. A later {@link add} has no
   * effect. Resolves after the change is sent to the processes that keep recipients in memory.
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
redis.call('SET', KEYS[3], '1', 'EX', ARGV[4])
return 1`;

/** Longer than a command can wait for a connection; the next comparison corrects later ones. */
const REMOVED_TTL_SECONDS = 600;

/** Time that an address counts as deleted; afterwards it is unknown. */
const DELETED_TTL_SECONDS = 3600;

/** All three in one atomic read: a flush in between must not make a known address look unknown. */
const LOOKUP = `
return { redis.call('EXISTS', KEYS[1]), redis.call('SISMEMBER', KEYS[2], ARGV[1]),
  redis.call('HGET', KEYS[3], ARGV[2]) }`;

interface LookupCommand {
  mayflyLookup: (...args: string[]) => Promise<[number, number, string | null]>;
}

export function openDirectory(redis: RedisClient, prefix: string): Directory {
  const mark = `${prefix}:directory:complete`;
  const domains = `${prefix}:directory:domains`;
  const mailboxes = `${prefix}:directory:mailboxes`;
  const removed = (mailboxId: string) => `${prefix}:directory:removed:${mailboxId}`;
  const deleted = (address: string) => `${prefix}:directory:deleted:${address}`;
  redis.defineCommand('mayflyLookup', { numberOfKeys: 3, lua: LOOKUP });
  const scripts = redis as RedisClient & LookupCommand;

  const hash = openMirroredHash(redis, mailboxes);

  const addMissing = async (source: DirectorySource) => {
    const known = await source.domains();
    if (known.length > 0) await redis.sadd(domains, known);
    return hash.addMissing(mirrorOf(source));
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
    async catcherOf(catchAllAddress, address) {
      const [mailboxId, isDeleted] = await Promise.all([
        redis.hget(mailboxes, catchAllAddress),
        redis.exists(deleted(address)),
      ]);
      return isDeleted === 1 ? null : mailboxId;
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
      const keys = [mailboxes, removed(mailboxId), deleted(address)];
      const ttls = [REMOVED_TTL_SECONDS, DELETED_TTL_SECONDS];
      await redis.eval(REMOVE, 3, ...keys, address, mailboxId, ...ttls);
      // Redis writes its replies and its reports of a change (known-recipients.ts) in any order, but
      // all of one round before it reads again: after one more round trip the reports are sent.
      if ('ping' in redis) await redis.ping();
    },
    isComplete: async () => (await redis.exists(mark)) === 1,
    async rebuild(source) {
      await addMissing(source);
      await redis.set(mark, '1');
    },
    async compare(source) {
      return (
        (await addMissing(source)) +
        (await hash.correctStale(mirrorOf(source))) +
        (await removeStaleDomains(source))
      );
    },
  };
}

function mirrorOf(source: DirectorySource): MirrorSource {
  const toPairs = (entries: DirectoryEntry[]) =>
    entries.map(({ address, mailboxId }): [string, string] => [address, mailboxId]);
  return {
    pages: async function* () {
      for await (const page of source.pages()) yield toPairs(page);
    },
    find: async (addresses) => toPairs(await source.find(addresses)),
  };
}
