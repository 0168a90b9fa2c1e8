/**
 * Entries of the directories that Redis has confirmed, kept in the process, so that SMTP commands
 * ask Redis once and not for every mail. Redis reports each change of the directories to the
 * process (client-side caching, redis.io/docs, "CLIENT TRACKING"), which then forgets all entries.
 * Nothing is kept while these reports may be missing: without a connection, without an answer on
 * it, or with a cluster.
 */
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { RecipientLookup, ReceivingMailbox } from './recipients.ts';
import type { FoundCredential } from './credentials.ts';

const CHANNEL = '__redis__:invalidate';
const MAX_ENTRIES = 10_000;
const CHECK_EVERY_MS = 1000;
/** Time since the last answer on the connection after which reports may be missing. */
const MAX_SILENCE_MS = 3000;

/** Entries of one kind. */
export interface Entries<Entry extends object> {
  /**
   * The kept entry. It is as current as the SMTP command that asks for it: a report that reached
   * the process before the command is handled first.
   */
  find: (key: string) => Promise<Entry | undefined>;
  /** Runs the lookup and keeps its entry, unless a directory changed meanwhile. */
  query: <Result>(
    key: string,
    lookup: () => Promise<Result>,
    entryOf: (result: Result) => Entry | null,
  ) => Promise<Result>;
}

export interface TrackedCache {
  openEntries: <Entry extends object>() => Entries<Entry>;
  close: () => void;
}

/** Keeps nothing. */
export const noCache: TrackedCache = {
  openEntries: () => ({ find: async () => undefined, query: (_key, lookup) => lookup() }),
  close: () => undefined,
};

/**
 * @param connection speaks RESP2, does not subscribe by itself after a reconnect, and is closed
 *   with the result.
 * @param monotonic clock in milliseconds.
 */
export function openTrackedCache(
  connection: Redis,
  prefix: string,
  log: Logger,
  monotonic: () => number = () => performance.now(),
): TrackedCache {
  const kinds: Map<string, unknown>[] = [];
  /** Changes with every report, so that a result that was on its way is not kept. */
  let version = 0;
  let answeredAt = -Infinity;
  let isTracking = false;

  const forgetAll = () => {
    version += 1;
    for (const entries of kinds) entries.clear();
  };
  const stop = () => {
    isTracking = false;
    forgetAll();
  };
  const track = async () => {
    stop();
    try {
      const id = await connection.client('ID');
      const prefixes = ['PREFIX', `${prefix}:directory:`] as const;
      await connection.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', id, 'BCAST', ...prefixes);
      await connection.subscribe(CHANNEL);
      forgetAll(); // a lookup that began before may miss a change that nothing reported
      answeredAt = monotonic();
      isTracking = true;
    } catch (error) {
      log.debug('the directories are read for every mail', { fault: errorText(error) });
    }
  };
  const check = async () => {
    if (!isTracking) return;
    try {
      await connection.ping();
      answeredAt = monotonic();
    } catch {
      stop();
      connection.disconnect(true);
    }
  };

  connection.on('message', forgetAll);
  connection.on('close', stop);
  connection.on('ready', () => void track());
  if (connection.status === 'ready') void track();
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);

  const isCurrent = () => isTracking && monotonic() - answeredAt < MAX_SILENCE_MS;

  return {
    openEntries<Entry extends object>(): Entries<Entry> {
      const entries = new Map<string, Entry>();
      kinds.push(entries);
      return {
        async find(key) {
          if (!isCurrent() || !entries.has(key)) return undefined;
          // The sockets that are readable at the same time are read in any order.
          await eventLoopTurn();
          return isCurrent() ? entries.get(key) : undefined;
        },
        async query(key, lookup, entryOf) {
          const before = version;
          const result = await lookup();
          const entry = entryOf(result);
          if (entry !== null && isTracking && version === before) {
            if (entries.size >= MAX_ENTRIES) entries.clear();
            entries.set(key, entry);
          }
          return result;
        },
      };
    },
    close() {
      clearInterval(timer);
      connection.disconnect();
    },
  };
}

/** Recipients or SMTP credentials that the directory has confirmed. */
export interface KnownEntries<Found, Entry> {
  /** The entry of an address or user name, if it is known and its mailbox has not expired. */
  find: (key: string) => Promise<Entry | undefined>;
  /** Looks the key up in the directory and keeps a positive result. */
  query: (key: string, lookup: () => Promise<Found>) => Promise<Found>;
}

export type KnownRecipients = KnownEntries<RecipientLookup, ReceivingMailbox>;
export type KnownCredentials = KnownEntries<FoundCredential | 'incomplete' | null, FoundCredential>;

/** @param now clock in milliseconds since 1970, for the expiry of mailboxes. */
export function openKnownRecipients(cache: TrackedCache, now: () => number): KnownRecipients {
  return openKnown(cache, now, (found) => {
    if (found.outcome !== 'mailbox') return null;
    const { mailboxId, workspaceId, expiresAt = Infinity } = found;
    return { entry: { mailboxId, workspaceId }, expiresAt };
  });
}

export function openKnownCredentials(cache: TrackedCache, now: () => number): KnownCredentials {
  return openKnown(cache, now, (found) =>
    found === null || found === 'incomplete'
      ? null
      : { entry: found, expiresAt: found.mailboxExpiresAt ?? Infinity },
  );
}

function openKnown<Found, Entry>(
  cache: TrackedCache,
  now: () => number,
  toKeep: (found: Found) => { entry: Entry; expiresAt: number } | null,
): KnownEntries<Found, Entry> {
  const known = cache.openEntries<{ entry: Entry; expiresAt: number }>();
  return {
    async find(key) {
      const kept = await known.find(key);
      return kept && now() < kept.expiresAt ? kept.entry : undefined;
    },
    query: (key, lookup) => known.query(key, lookup, toKeep),
  };
}
