/**
 * The recipient directory: what RCPT is answered from, without asking the database. It lives in Redis:
 * a hash of our domains, a hash `name@domain` -> mailbox id, and a mark that says both are complete.
 * Without the mark nobody knows whether an address exists, and the answer is "later", never "no".
 * The database is the truth; {@link rebuild} and {@link compare} bring the directory back to it.
 */
import type { RedisClient } from './redis.js';
import { type Recipient, mailboxAddress } from './addresses.js';

/** One address that receives mail, as the database has it. */
export interface DirectoryEntry {
  address: string;
  mailboxId: string;
}

/** Where the directory's truth is read from. */
export interface DirectorySource {
  domains: () => Promise<string[]>;
  /** Live mailboxes in pages, in any order. */
  pages: () => AsyncIterable<DirectoryEntry[]>;
  /** The live mailboxes behind these addresses; an address without one is absent. */
  find: (addresses: string[]) => Promise<DirectoryEntry[]>;
}

export type Lookup =
  | { outcome: 'mailbox'; mailboxId: string; address: string }
  | { outcome: 'unknown' | 'foreign' | 'incomplete' };

export interface Directory {
  /** Who receives this recipient's mail, in one round trip, read at one moment. */
  lookup: (recipient: Recipient) => Promise<Lookup>;
  addDomain: (domain: string) => Promise<void>;
  add: (entry: DirectoryEntry) => Promise<void>;
  /** Takes the address out, unless it meanwhile stands for another mailbox. */
  remove: (entry: DirectoryEntry) => Promise<void>;
  isComplete: () => Promise<boolean>;
  /** Adds what is missing, then sets the mark. Safe beside creations, deletions and other rebuilds. */
  rebuild: (source: DirectorySource) => Promise<void>;
  /** Corrects every entry that differs from the database; returns how many did. */
  compare: (source: DirectorySource) => Promise<number>;
}

/** Sets (or, for an empty new value, deletes) a field only while it still has the value seen. */
const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])
else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`;

/** All three at one moment: a flush in between must not make a known address look unknown. */
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
  redis.defineCommand('mayflyLookup', { numberOfKeys: 3, lua: LOOKUP });
  const scripts = redis as RedisClient & LookupCommand;

  const replace = async (address: string, seen: string, now: string) =>
    (await redis.eval(REPLACE, 1, mailboxes, address, seen, now)) === 1;

  /** HSETNX: an entry that is already there is newer than, or equal to, the page being read. */
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

  /** Reads Redis first and the database after it: an entry exists only once its row does. */
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
    async add(entry) {
      await redis.hset(mailboxes, entry.address, entry.mailboxId);
    },
    async remove(entry) {
      await replace(entry.address, entry.mailboxId, '');
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
