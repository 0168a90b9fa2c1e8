/**
 * The directory of SMTP credentials, with which AUTH is decided without the database: a Redis hash
 * from user name to credential. The database is authoritative;
 * {@link CredentialDirectory.compare} corrects the hash. The mark of the recipient
 * directory is set after both are complete.
 */
import { IS_COMPLETE_FUNCTION, openCompleteness } from './completeness.ts';
import { type MirrorSource, openMirroredHash, reportsSent } from './mirrored-hash.ts';
import { parseRecipientEntry } from './recipients.ts';
import type { RedisClient } from '../redis/client.ts';

/** Shortest time in milliseconds between two recorded uses of one credential. */
export const USE_INTERVAL_MS = 60_000;

/** A credential of a live mailbox. */
export interface CredentialEntry {
  id: string;
  username: string;
  /** Milliseconds since 1970; the later of two entries of one credential is valid. */
  passwordSetAt: number;
  mailboxId: string;
  /** `name@domain` of the mailbox. */
  address: string;
  /** SHA-256, hexadecimal. */
  passwordHash: string;
}

/** A credential with what the recipient directory has of its mailbox. */
export interface FoundCredential extends CredentialEntry {
  /** Milliseconds since 1970, or null. */
  mailboxExpiresAt: number | null;
  workspaceId: string;
}

/** Access of the directory to the database. */
export interface CredentialSource {
  pages: () => AsyncIterable<CredentialEntry[]>;
  find: (usernames: string[]) => Promise<CredentialEntry[]>;
}

export interface CredentialDirectory {
  /**
   * The credential of this user name, in one round trip and one atomic read. Null if there is none
   * or its mailbox was deleted or has expired; `incomplete` while the directory has no mark.
   */
  find: (username: string) => Promise<FoundCredential | 'incomplete' | null>;
  /**
   * Sets the entry, unless the present one has a later password or the credential was removed. Like
   * {@link remove}, resolves after the change is sent to the processes that keep credentials in
   * memory.
   */
  set: (entry: CredentialEntry) => Promise<void>;
  /** Removes the entry. A later {@link set} of the same credential has no effect. */
  remove: (entry: Pick<CredentialEntry, 'id' | 'username'>) => Promise<void>;
  /** Corrects every entry that differs from the database; returns their number. */
  compare: (source: CredentialSource) => Promise<number>;
  /** Records a use of the credential, for {@link drainUses}. */
  recordUse: (id: string, usedAt: number) => Promise<void>;
  /** Returns and removes the recorded uses by credential id, in ms since 1970. */
  drainUses: () => Promise<Map<string, number>>;
}

/** A mailbox is live if the recipient directory has its id at its address. */
const FIND = `${IS_COMPLETE_FUNCTION}
local seen = redis.call('HGET', KEYS[3], ARGV[1])
if not seen then return { isComplete(KEYS[1], KEYS[2]), false } end
local mailbox, address = seen:match('^%S+ %S+ (%S+) (%S+) ')
local there = redis.call('HGET', KEYS[4], address)
if not there or there:match('^%S+') ~= mailbox then seen = false end
return { isComplete(KEYS[1], KEYS[2]), seen, there }`;

const SET = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local seen = redis.call('HGET', KEYS[1], ARGV[1])
if seen then
  local id, at = seen:match('^(%S+) (%S+) ')
  if id == ARGV[2] and tonumber(at) > tonumber(ARGV[3]) then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[4])
return 1`;

const REMOVE = `
local seen = redis.call('HGET', KEYS[1], ARGV[1])
if seen and seen:match('^(%S+) ') == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('SET', KEYS[2], '1', 'EX', ARGV[3])
return 1`;

const TAKE = `
local uses = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return uses`;

/** Longer than a command can wait for a connection; the next comparison corrects later ones. */
const REMOVED_TTL_SECONDS = 600;

interface FindCommand {
  mayflyFindCredential: (
    ...args: string[]
  ) => Promise<[number, string | null, string | null | undefined]>;
}

/** @param now clock in milliseconds since 1970. */
export function openCredentialDirectory(
  redis: RedisClient,
  prefix: string,
  now: () => number = Date.now,
): CredentialDirectory {
  const completeness = openCompleteness(redis, prefix);
  const mailboxes = `${prefix}:directory:mailboxes`;
  const credentials = `${prefix}:directory:credentials`;
  const uses = `${prefix}:credential-uses`;
  const removed = (id: string) => `${prefix}:directory:removed:${id}`;
  redis.defineCommand('mayflyFindCredential', { numberOfKeys: 4, lua: FIND });
  const scripts = redis as RedisClient & FindCommand;
  const hash = openMirroredHash(redis, credentials);

  return {
    async find(username) {
      const keys = [...completeness.keys, credentials, mailboxes] as const;
      const [complete, value, recipient] = await scripts.mayflyFindCredential(...keys, username);
      if (complete !== 1) return 'incomplete';
      if (value !== null) {
        const { workspaceId, expiresAt: mailboxExpiresAt } = parseRecipientEntry(recipient ?? '');
        const isExpired = mailboxExpiresAt !== null && mailboxExpiresAt <= now();
        return isExpired ? null : { ...parse(username, value), mailboxExpiresAt, workspaceId };
      }
      return null;
    },
    async set(entry) {
      const { id, username, passwordSetAt } = entry;
      const keys = [credentials, removed(id)] as const;
      await redis.eval(SET, 2, ...keys, username, id, passwordSetAt, format(entry));
      await reportsSent(redis);
    },
    async remove({ id, username }) {
      await redis.eval(REMOVE, 2, credentials, removed(id), username, id, REMOVED_TTL_SECONDS);
      await reportsSent(redis);
    },
    compare: async (source) =>
      (await hash.addMissing(mirrorOf(source))) + (await hash.correctStale(mirrorOf(source))),
    async recordUse(id, usedAt) {
      await redis.hset(uses, id, usedAt);
    },
    async drainUses() {
      const flat = (await redis.eval(TAKE, 1, uses)) as string[];
      const taken = new Map<string, number>();
      for (let at = 0; at + 1 < flat.length; at += 2)
        taken.set(flat[at] ?? '', Number(flat[at + 1]));
      return taken;
    },
  };
}

function mirrorOf(source: CredentialSource): MirrorSource {
  const toPairs = (entries: CredentialEntry[]) =>
    entries.map((entry): [string, string] => [entry.username, format(entry)]);
  return {
    pages: async function* () {
      for await (const page of source.pages()) yield toPairs(page);
    },
    find: async (seen) => toPairs(await source.find([...seen.keys()])),
  };
}

/** No part contains a space. */
function format(entry: CredentialEntry): string {
  const { id, passwordSetAt, mailboxId, address, passwordHash } = entry;
  return [id, passwordSetAt, mailboxId, address, passwordHash].join(' ');
}

function parse(username: string, value: string): CredentialEntry {
  const [id = '', passwordSetAt = '', mailboxId = '', address = '', passwordHash = ''] =
    value.split(' ');
  return { id, username, passwordSetAt: Number(passwordSetAt), mailboxId, address, passwordHash };
}
