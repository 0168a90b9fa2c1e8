/**
 * Tells waiting requests of this process about new messages. One look-up by mailbox id finds the
 * followers of an event. Events can be lost, because they are not logged and Redis can be away.
 * Therefore the messages of the last minute are also read from the database for all mailboxes that
 * are waited for: every 5 s, and every second without a subscription. The end of a lease is no
 * event, so it is read twice a second, if a request waits for free messages. Without followers,
 * none of this is done.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endedLeases } from '../../db/statements/claims.ts';
import { liveMailboxIds } from '../../db/statements/mailboxes.ts';
import { recentMessages } from '../../db/statements/messages.ts';
import { liveTokenIds } from '../../db/statements/tokens.ts';
import { tokenRevoked } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError, errorText } from '../errors.ts';
import type { LiveEvent } from '../events/event.ts';
import type { Watch } from '../events/hub.ts';

const TICK_MS = 500;
const TICKS_PER_SWEEP = 10;
const TICKS_PER_SWEEP_UNSUBSCRIBED = 2;
const RECENT_MS = 60_000;
/** Clocks of SMTP processes can differ from that of this process. */
const SKEW_MS = 10_000;
const PER_STATEMENT = 500;
/**
 * Once so many followers were told of a message, the next one is told in the next turn of the event
 * loop. The first reading for a mailbox tells its followers of all its recent messages: 100
 * followers of 25 messages in each of 100 mailboxes took 0.7 GiB in one turn.
 */
const TOLD_PER_TURN = 500;
/** Ends of leases older than this were told by an earlier sweep. */
const LEASE_WINDOW_MS = 10_000;

/** What a waiting request is told. */
export interface Follower {
  readonly mailbox: { id: string; name: string };
  /** Absent if the follower is no request. */
  readonly tokenId?: string;
  /** A message was stored. It can be told more than once. */
  received: (messageId: string) => void;
  /**
   * A claim was released, or its lease has ended. Present if the follower waits for free messages.
   */
  released?: (messageId: string) => void;
  /** Messages can have been missed. */
  missed: () => void;
  /** The mailbox, the token or the process goes. */
  end: (error: AppError) => void;
}

export interface Arrivals {
  /** Starts at once; returns how to stop. */
  follow: (follower: Follower) => () => void;
}

interface Entry {
  followers: Set<Follower>;
  /** Ids of recent messages that the followers know of. */
  told: Map<string, number>;
}

export function openArrivals({
  store,
  now,
  log,
  events,
}: Pick<Context, 'store' | 'now' | 'log' | 'events'>): Arrivals {
  const entries = new Map<string, Entry>();
  let watch: Watch | null = null;
  let timer: NodeJS.Timeout | null = null;
  let ticks = 0;
  let sweeping = false;
  let sweepingLeases = false;
  const toldLeases = new Map<string, number>();

  const all = function* () {
    for (const { followers } of entries.values()) yield* followers;
  };

  /** Returns the number of followers. */
  const tell = (mailboxId: string, messageId: string): number => {
    const entry = entries.get(mailboxId);
    if (!entry) return 0;
    entry.told.set(messageId, now());
    for (const follower of entry.followers) follower.received(messageId);
    return entry.followers.size;
  };

  const release = (mailboxId: string, messageId: string) => {
    for (const follower of entries.get(mailboxId)?.followers ?? []) follower.released?.(messageId);
  };

  const endMailbox = (mailboxId: string) => {
    for (const follower of entries.get(mailboxId)?.followers ?? []) {
      follower.end(new AppError('not_found', `No such mailbox: "${follower.mailbox.name}".`));
    }
  };

  const endToken = (tokenId: string) => {
    for (const follower of all()) if (follower.tokenId === tokenId) follower.end(tokenRevoked());
  };

  const onEvent = ({ type, mailboxId, messageId }: LiveEvent) => {
    if (type === 'message.received' && messageId !== undefined) tell(mailboxId, messageId);
    if (type === 'mailbox.deleted') endMailbox(mailboxId);
  };

  const sweepMailboxes = async (ids: string[]) => {
    const at = now();
    const since = new Date(at - RECENT_MS - SKEW_MS);
    const live = new Set((await store.ask(liveMailboxIds, ids, new Date(at))).map(({ id }) => id));
    for (const id of ids) if (!live.has(id)) endMailbox(id);
    let told = 0;
    for (const { id, mailboxId } of await store.ask(recentMessages, ids, since, new Date(at))) {
      if (!entries.get(mailboxId)?.told.has(id)) told += tell(mailboxId, id);
      if (told < TOLD_PER_TURN) continue;
      told = 0;
      await nextTurn();
    }
    for (const id of ids) {
      const recent = entries.get(id)?.told ?? new Map<string, number>();
      for (const [messageId, toldAt] of recent) {
        if (toldAt > at - 2 * (RECENT_MS + SKEW_MS)) break; // in the order of insertion
        recent.delete(messageId);
      }
    }
  };

  const sweep = async () => {
    sweeping = true;
    try {
      for (const ids of chunks([...entries.keys()])) {
        await sweepMailboxes(ids);
        await nextTurn();
      }
      for (const ids of chunks([...new Set([...all()].flatMap(({ tokenId }) => tokenId ?? []))])) {
        const live = new Set(
          (await store.ask(liveTokenIds, ids, new Date(now()))).map(({ id }) => id),
        );
        for (const id of ids) if (!live.has(id)) endToken(id);
      }
    } catch (error) {
      log.warn('periodic check of waiting requests failed', { fault: errorText(error) });
    } finally {
      sweeping = false;
    }
  };

  /** Each end of a lease is told once. */
  const sweepLeases = async () => {
    const waiting = [...entries].filter(([, { followers }]) =>
      [...followers].some(({ released }) => released),
    );
    if (waiting.length === 0 || sweepingLeases) return;
    sweepingLeases = true;
    try {
      for (const ids of chunks(waiting.map(([id]) => id))) {
        for (const claim of await store.ask(endedLeases, ids, LEASE_WINDOW_MS)) {
          const key = `${claim.messageId} ${claim.expiresAt?.getTime() ?? 0}`;
          if (!toldLeases.has(key)) release(claim.mailboxId, claim.messageId);
          toldLeases.set(key, now());
        }
      }
      for (const [key, toldAt] of toldLeases) {
        if (toldAt < now() - 2 * LEASE_WINDOW_MS) toldLeases.delete(key);
      }
    } catch (error) {
      log.debug('periodic check of ended leases failed', { fault: errorText(error) });
    } finally {
      sweepingLeases = false;
    }
  };

  const tick = () => {
    ticks += 1;
    void sweepLeases();
    const isLive = watch?.isLive() ?? false;
    if (ticks % (isLive ? TICKS_PER_SWEEP : TICKS_PER_SWEEP_UNSUBSCRIBED) !== 0) return;
    if (!isLive) void watch?.connect();
    if (!sweeping) void sweep();
  };

  const start = () => {
    watch = events.hub.watch({
      event: onEvent,
      released: release,
      resubscribed: () => {
        for (const follower of all()) follower.missed();
      },
      revoked: endToken,
      stopping: () => {
        for (const follower of all()) follower.end(stopping());
      },
    });
    void watch.connect();
    timer = setInterval(tick, TICK_MS);
    timer.unref();
  };

  const stop = () => {
    watch?.end();
    if (timer) clearInterval(timer);
    [watch, timer] = [null, null];
  };

  return {
    follow(follower) {
      const { id } = follower.mailbox;
      const entry = entries.get(id) ?? { followers: new Set(), told: new Map<string, number>() };
      entries.set(id, entry);
      entry.followers.add(follower);
      if (!watch) start();
      return () => {
        entry.followers.delete(follower);
        if (entry.followers.size === 0 && entries.get(id) === entry) entries.delete(id);
        if (entries.size === 0) stop();
      };
    },
  };
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is restarting. Retry the same request.');
}

function* chunks(ids: string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += PER_STATEMENT) yield ids.slice(at, at + PER_STATEMENT);
}
