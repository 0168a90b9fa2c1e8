/**
 * The recipient directory, with which RCPT is decided without the database. It has three Redis
 * keys: a set of domains, a hash from `name@domain` to mailbox id, expiry and workspace id, and a
 * mark that both are complete. Without the mark, unknown addresses are deferred instead of
 * rejected. The database is authoritative; {@link rebuild} and {@link compare} correct the
 * directory.
 */
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { RedisClient } from '../redis/client.ts';
import { IS_COMPLETE_FUNCTION, openCompleteness } from './completeness.ts';
import { type Recipient, mailboxAddress } from '../addresses.ts';
import { type MirrorSource, openMirroredHash, reportsSent } from './mirrored-hash.ts';
import { AppError } from '../errors.ts';

/** An address of a live mailbox, from the database. */
export interface RecipientEntry {
  address: string;
  mailboxId: string;
  workspaceId?: string;
  /** Milliseconds since 1970; from then on the mailbox receives nothing. Null for no expiry. */
  expiresAt?: number | null;
}

/** The entry is outdated: the address belongs to a newer mailbox, or the mailbox was removed. */
export class StaleEntryError extends Error {}

/** Access of the directory to the database. */
export interface RecipientSource {
  /** All domains in pages, in any order. */
  domains: () => AsyncIterable<string[]>;
  /** Live mailboxes in pages, in any order. */
  pages: () => AsyncIterable<RecipientEntry[]>;
  /**
   * The live mailboxes of these addresses; addresses without one are absent.
   * @param mailboxIds the mailboxes that the addresses had, which are found faster than by address.
   */
  find: (addresses: string[], mailboxIds: string[]) => Promise<RecipientEntry[]>;
}

/** A mailbox that receives mail. */
export interface ReceivingMailbox {
  mailboxId: string;
  /** The id of the mailbox in an entry that a version without workspace ids has written. */
  workspaceId: string;
}

export type RecipientLookup =
  /** `expiresAt` in ms since 1970, if the mailbox expires. */
  | ({ outcome: 'mailbox'; address: string; expiresAt?: number } & ReceivingMailbox)
  | { outcome: 'unknown' | 'expired' | 'foreign' | 'incomplete' };

export interface RecipientDirectory {
  /**
   * The mailbox of this recipient, in one round trip and one atomic read, which lookups of the same
   * turn of the event loop share. `expired` for an hour after the expiry of a mailbox whose name no
   * other one has taken.
   */
  lookup: (recipient: Recipient) => Promise<RecipientLookup>;
  /**
   * The mailbox that catches mail for an address without a mailbox: the one of `catchAllAddress`.
   * Null if it does not exist, or if a mailbox with this address was deleted within the last hour.
   */
  catcherOf: (catchAllAddress: string, address: string) => Promise<ReceivingMailbox | null>;
  addDomain: (domain: string) => Promise<void>;
  removeDomain: (domain: string) => Promise<void>;
  /**
   * Sets the address, unless it belongs to a newer mailbox (ids sort by time) or this mailbox was
   * removed meanwhile: the command can arrive late. @throws {StaleEntryError} in both cases.
   */
  add: (entry: RecipientEntry) => Promise<void>;
  /** Sets the expiry, if the address belongs to this mailbox. {@link add} does not change it. */
  setExpiry: (entry: RecipientEntry) => Promise<void>;
  /**
   * Removes the address, unless it now belongs to another mailbox. A later {@link add} has no
   * effect. With `expiredAt` (ms since 1970) the address counts as expired for an hour from then.
   * Resolves after the change is sent to the processes that keep recipients in memory.
   */
  remove: (entry: RecipientEntry, expiredAt?: number | null) => Promise<void>;
  isComplete: () => Promise<boolean>;
  /**
   * Does what {@link compare} does, then sets the mark. Safe to run concurrently with any other
   * operation.
   */
  rebuild: (source: RecipientSource) => Promise<number>;
  /** Corrects every entry that differs from the database; returns their number. */
  compare: (source: RecipientSource) => Promise<number>;
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
local id = seen and seen:match('^%S+')
if id == ARGV[2] then return 1 end
if id and isAfter(id, ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1`;

const SET_EXPIRY = `
local seen = redis.call('HGET', KEYS[1], ARGV[1])
if seen and seen:match('^%S+') == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`;

const REMOVE = `
local seen = redis.call('HGET', KEYS[1], ARGV[1])
if seen and seen:match('^%S+') == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('SET', KEYS[2], '1', 'EX', ARGV[3])
if tonumber(ARGV[4]) > 0 then redis.call('SET', KEYS[3], ARGV[5], 'EX', ARGV[4]) end
return 1`;

/** Longer than a command can wait for a connection; the next comparison corrects later ones. */
const REMOVED_TTL_SECONDS = 600;

/** Time that an address counts as deleted or expired; afterwards it is unknown. */
const DELETED_TTL_SECONDS = 3600;

/**
 * All in one atomic read: a flush in between must not make a known address look unknown.
 *
 * KEYS: mark and name of completeness, domains, mailboxes, `deleted` of each address. ARGV: domain
 * and address of each recipient in turn.
 */
const LOOKUP = `${IS_COMPLETE_FUNCTION}
local found = {}
for i = 5, #KEYS do
  local domain, address = ARGV[2 * i - 9], ARGV[2 * i - 8]
  local value = redis.call('HGET', KEYS[4], address)
  found[#found + 1] = { redis.call('SISMEMBER', KEYS[3], domain), value,
    not value and redis.call('GET', KEYS[i]) }
end
return { isComplete(KEYS[1], KEYS[2]), found }`;

/** Redis runs nothing else during a script. */
const MAX_LOOKUPS = 100;

const DELETED = 'deleted';
const EXPIRED = 'expired';

type FoundEntry = [ours: number, value: string | null, ended: string | null];

interface LookupCommand {
  /** Starts with the number of keys. */
  mayflyLookup: (
    ...args: (number | string | string[])[]
  ) => Promise<[complete: number, found: FoundEntry[]]>;
}

interface SharedLookup {
  readonly recipients: Recipient[];
  readonly reply: ReturnType<LookupCommand['mayflyLookup']>;
}

/** @param now clock in milliseconds since 1970. */
export function openRecipientDirectory(
  redis: RedisClient,
  prefix: string,
  now: () => number = Date.now,
): RecipientDirectory {
  const completeness = openCompleteness(redis, prefix);
  const domains = `${prefix}:directory:domains`;
  const mailboxes = `${prefix}:directory:mailboxes`;
  const removed = (mailboxId: string) => `${prefix}:directory:removed:${mailboxId}`;
  const deleted = (address: string) => `${prefix}:directory:deleted:${address}`;
  redis.defineCommand('mayflyLookup', { lua: LOOKUP });
  const scripts = redis as RedisClient & LookupCommand;

  const hash = openMirroredHash(redis, mailboxes);

  const addMissing = async (source: RecipientSource) => {
    for await (const page of source.domains()) {
      if (page.length > 0) await redis.sadd(domains, page);
    }
    return hash.addMissing(mirrorOf(source));
  };

  const removeStaleDomains = async (source: RecipientSource) => {
    const seen = await redis.smembers(domains);
    const stale = new Set(seen);
    for await (const page of source.domains()) for (const domain of page) stale.delete(domain);
    return stale.size > 0 ? redis.srem(domains, [...stale]) : 0;
  };

  const compare = async (source: RecipientSource) =>
    (await addMissing(source)) +
    (await hash.correctStale(mirrorOf(source))) +
    (await removeStaleDomains(source));

  let open: SharedLookup | null = null;
  const openLookup = (): SharedLookup => {
    const recipients: Recipient[] = [];
    const send = async () => {
      await eventLoopTurn();
      if (open === shared) open = null;
      const pairs = recipients.map(({ name, domain }) => [domain, mailboxAddress(name, domain)]);
      const ended = pairs.map(([, address = '']) => deleted(address));
      const keys = [...completeness.keys, domains, mailboxes, ...ended];
      return scripts.mayflyLookup(keys.length, keys, pairs.flat());
    };
    const shared = { recipients, reply: send() };
    return shared;
  };

  return {
    async lookup(recipient) {
      if (open === null || open.recipients.length === MAX_LOOKUPS) open = openLookup();
      const place = open.recipients.push(recipient) - 1;
      const [complete, found] = await open.reply;
      const [ours, value, ended] = found[place] ?? [0, null, null];
      if (complete !== 1) return { outcome: 'incomplete' };
      if (value !== null) {
        const address = mailboxAddress(recipient.name, recipient.domain);
        const { expiresAt, ...receiver } = parseRecipientEntry(value);
        const past = now() - (expiresAt ?? Infinity);
        if (past < 0) {
          const expiry = expiresAt === null ? {} : { expiresAt };
          return { outcome: 'mailbox', ...receiver, address, ...expiry };
        }
        return { outcome: past < DELETED_TTL_SECONDS * 1000 ? 'expired' : 'unknown' };
      }
      if (ours !== 1) return { outcome: 'foreign' };
      return { outcome: ended === EXPIRED ? 'expired' : 'unknown' };
    },
    async catcherOf(catchAllAddress, address) {
      const [value, isDeleted] = await Promise.all([
        redis.hget(mailboxes, catchAllAddress),
        redis.exists(deleted(address)),
      ]);
      if (isDeleted === 1 || value === null) return null;
      const { expiresAt, ...receiver } = parseRecipientEntry(value);
      return expiresAt !== null && expiresAt <= now() ? null : receiver;
    },
    async addDomain(domain) {
      await redis.sadd(domains, domain);
    },
    async removeDomain(domain) {
      await redis.srem(domains, domain);
    },
    async add(entry) {
      const { address, mailboxId } = entry;
      const keys = [mailboxes, removed(mailboxId)] as const;
      const added = await redis.eval(ADD, 2, ...keys, address, mailboxId, formatEntry(entry));
      if (added !== 1) throw new StaleEntryError();
    },
    async setExpiry(entry) {
      const { address, mailboxId } = entry;
      await redis.eval(SET_EXPIRY, 1, mailboxes, address, mailboxId, formatEntry(entry));
    },
    async remove(entry, expiredAt = null) {
      const { address, mailboxId } = entry;
      const keys = [mailboxes, removed(mailboxId), deleted(address)] as const;
      const past = expiredAt === null ? 0 : Math.floor((now() - expiredAt) / 1000);
      const ttls = [REMOVED_TTL_SECONDS, DELETED_TTL_SECONDS - past] as const;
      const end = expiredAt === null ? DELETED : EXPIRED;
      await redis.eval(REMOVE, 3, ...keys, address, mailboxId, ...ttls, end);
      await reportsSent(redis);
    },
    isComplete: completeness.isReached,
    rebuild: (source) => completeness.reach(() => compare(source)),
    compare,
  };
}

function mirrorOf(source: RecipientSource): MirrorSource {
  const toPairs = (entries: RecipientEntry[]) =>
    entries.map((entry): [string, string] => [entry.address, formatEntry(entry)]);
  return {
    pages: async function* () {
      for await (const page of source.pages()) yield toPairs(page);
    },
    find: async (seen) => {
      const ids = Array.from(seen.values(), (value) => parseRecipientEntry(value).mailboxId);
      return toPairs(await source.find([...seen.keys()], ids));
    },
  };
}

/**
 * `MAILBOX_ID EXPIRY WORKSPACE_ID`. Older versions write `MAILBOX_ID`, or `MAILBOX_ID EXPIRY`, and
 * read these two from the present form.
 */
function formatEntry({ mailboxId, expiresAt, workspaceId }: RecipientEntry): string {
  return `${mailboxId} ${expiresAt ?? Infinity} ${workspaceId ?? mailboxId}`;
}

/** The value of an entry. */
export function parseRecipientEntry(
  value: string,
): ReceivingMailbox & { expiresAt: number | null } {
  const [mailboxId = '', expiry = Infinity, workspaceId = mailboxId] = value.split(' ');
  const expiresAt = Number(expiry);
  return { mailboxId, workspaceId, expiresAt: expiresAt === Infinity ? null : expiresAt };
}

/**
 * Called before a change of rows that the recipient directory must reflect.
 * @throws {AppError} `unavailable` if the directory cannot be reached.
 */
export async function requireRecipientDirectory({
  directory,
}: {
  directory: RecipientDirectory;
}): Promise<void> {
  try {
    await directory.isComplete();
  } catch (error) {
    throw new AppError(
      'unavailable',
      'The recipient directory is temporarily unavailable. Retry in a few seconds.',
      { cause: error },
    );
  }
}
