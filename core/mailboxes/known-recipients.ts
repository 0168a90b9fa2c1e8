/**
 * Recipients that the directory has confirmed, kept in the process, so that RCPT asks Redis once and
 * not for every mail. Redis reports each change of the directory to the process (client-side
 * caching, redis.io/docs, "CLIENT TRACKING"), which then forgets all of them. Nothing is kept while
 * these reports may be missing: without a connection, without an answer on it, or with a cluster.
 */
import type { Redis } from 'ioredis';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';
import type { Lookup } from './recipient-directory.js';

const CHANNEL = '__redis__:invalidate';
const MAX_ENTRIES = 10_000;
const CHECK_EVERY_MS = 1000;
/** Time since the last answer on the connection after which reports may be missing. */
const MAX_SILENCE_MS = 3000;

export interface KnownRecipients {
  /** The mailbox id of an address, if it is known and the mailbox has not expired. */
  find: (address: string) => string | undefined;
  /**
   * Looks an address up in the directory and keeps a positive result, unless the directory changed
   * meanwhile.
   */
  learn: (address: string, lookup: () => Promise<Lookup>) => Promise<Lookup>;
  close: () => void;
}

/** Keeps nothing. */
export const noKnownRecipients: KnownRecipients = {
  find: () => undefined,
  learn: (_address, lookup) => lookup(),
  close: () => undefined,
};

/**
 * @param connection speaks RESP2, does not subscribe by itself after a reconnect, and is closed with
 *   the result.
 * @param clocks `now` in milliseconds since 1970, for the expiry of mailboxes; `monotonic` in
 *   milliseconds.
 */
export function openKnownRecipients(
  connection: Redis,
  prefix: string,
  log: Logger,
  { now, monotonic = () => performance.now() }: { now: () => number; monotonic?: () => number },
): KnownRecipients {
  const mailboxes = new Map<string, { mailboxId: string; expiresAt: number }>();
  /** Changes with every report, so that a result that was on its way is not kept. */
  let version = 0;
  let answeredAt = -Infinity;
  let isTracking = false;

  const forgetAll = () => {
    version += 1;
    mailboxes.clear();
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
      answeredAt = monotonic();
      isTracking = true;
    } catch (error) {
      log.debug('recipients are looked up for every mail', { fault: errorText(error) });
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
    find(address) {
      const known = isCurrent() ? mailboxes.get(address) : undefined;
      return known && now() < known.expiresAt ? known.mailboxId : undefined;
    },
    async learn(address, lookup) {
      const before = version;
      const result = await lookup();
      if (result.outcome === 'mailbox' && isTracking && version === before) {
        if (mailboxes.size >= MAX_ENTRIES) mailboxes.clear();
        const { mailboxId, expiresAt = Infinity } = result;
        mailboxes.set(address, { mailboxId, expiresAt });
      }
      return result;
    },
    close() {
      clearInterval(timer);
      connection.disconnect();
    },
  };
}
