/**
 * Notifies waiting requests of this process of new messages. Two lookups, by the id of the mailbox
 * and of the workspace, find the followers of an event. Events can be lost, because they are not
 * logged and Redis can be away. Therefore the workspaces that are waited for are also checked for
 * messages above the last number that was notified: every 5 s, and every second without a
 * subscription. The end of a lease is no event, so it is read twice a second, if claims matter to
 * a follower. Without a subscription, such a follower can also miss claims. Without followers,
 * none of this is done.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { endedClaims, endedClaimsOfWorkspaces } from '../../db/statements/claims.ts';
import { type MailboxRow, liveMailboxIds } from '../../db/statements/mailboxes.ts';
import { lastNumbers } from '../../db/statements/message-numbers.ts';
import { messagesAbove } from '../../db/statements/messages.ts';
import { liveTokenIds } from '../../db/statements/tokens.ts';
import { tokenRevoked } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError, errorText } from '../errors.ts';
import { mailboxNotFound } from '../mailboxes/mailboxes.ts';
import type { LiveEvent } from '../events/event.ts';
import type { ClaimChange, WatchHandle } from '../events/hub.ts';

const TICK_MS = 500;
const TICKS_PER_SWEEP = 10;
const TICKS_PER_SWEEP_UNSUBSCRIBED = 2;
const PER_STATEMENT = 500;
/** Followers know of leases that ended earlier. */
const LEASE_WINDOW_MS = 10_000;

/** What a waiting request is notified of. */
export interface ArrivalSubscriber {
  /** Without a name, all mailboxes of the workspace. */
  readonly place: Pick<MailboxRow, 'id' | 'workspaceId'> & Partial<Pick<MailboxRow, 'name'>>;
  /** Absent if the follower is no request. */
  readonly tokenId?: string;
  /**
   * A message was stored. The notification can repeat. The event is absent if a check found the
   * message, which it does for followers of a mailbox only.
   */
  received?: (messageId: string, event?: LiveEvent) => void;
  /**
   * A message was claimed, or its claim was released or has ended. Present if claims matter to the
   * follower.
   */
  claim?: ((change: ClaimChange, messageId: string) => void) | undefined;
  /** Messages can have been missed. */
  missed?: () => void;
  /** The mailbox, the token or the process goes. */
  end?: (error: AppError) => void;
}

export interface Arrivals {
  /**
   * Starts at once, and returns how to stop.
   * @param after the follower reads what is there itself, up to this number at least
   */
  subscribe: (follower: ArrivalSubscriber, after: number) => () => void;
}

interface Entry {
  workspaceId: string;
  isWorkspace: boolean;
  followers: Set<ArrivalSubscriber>;
  /** The followers know of all messages up to this number. */
  after: number;
  /** Numbers above `after` that they know of. */
  notified: Set<number>;
  /** The ends of leases within the last seconds that they know of. */
  endedLeases: Set<string>;
}

interface EndedClaim {
  placeId: string;
  messageId: string;
  expiresAt: Date | null;
}

export function openArrivals({
  store,
  now,
  log,
  events,
}: Pick<Context, 'store' | 'now' | 'log' | 'events'>): Arrivals {
  const entries = new Map<string, Entry>();
  let watch: WatchHandle | null = null;
  let timer: NodeJS.Timeout | null = null;
  let ticks = 0;
  let sweeping = false;
  let sweepingLeases = false;
  let isStopping = false;

  const all = function* () {
    for (const { followers } of entries.values()) yield* followers;
  };

  const notify = (
    id: string,
    message: Pick<LiveEvent, 'number'> & { id: string },
    event?: LiveEvent,
  ) => {
    const entry = entries.get(id);
    if (!entry) return;
    const { number } = message;
    if (number !== undefined) {
      if (number <= entry.after || entry.notified.has(number)) return;
      entry.notified.add(number);
    }
    for (const follower of entry.followers) follower.received?.(message.id, event);
  };

  const notifyClaim = (change: ClaimChange, placeId: string, messageId: string) => {
    for (const { claim } of entries.get(placeId)?.followers ?? []) claim?.(change, messageId);
  };

  const endMailbox = (mailboxId: string) => {
    for (const follower of entries.get(mailboxId)?.followers ?? []) {
      follower.end?.(mailboxNotFound(follower.place.name ?? ''));
    }
  };

  const endToken = (tokenId: string) => {
    for (const follower of all()) if (follower.tokenId === tokenId) follower.end?.(tokenRevoked());
  };

  const onEvent = (event: LiveEvent, workspaceId: string) => {
    const { type, mailboxId, messageId: id, number } = event;
    if (type === 'message.received' && id !== undefined) {
      const message = { id, ...(number !== undefined && { number }) };
      for (const place of [mailboxId, workspaceId]) notify(place, message, event);
    }
    if (type === 'mailbox.deleted') endMailbox(mailboxId);
  };

  const endGone = async (ids: string[]) => {
    const live = new Set(
      (await store.query(liveMailboxIds, ids, new Date(now()))).map(({ id }) => id),
    );
    for (const id of ids) if (!live.has(id)) endMailbox(id);
  };

  /** Notifies of the messages up to the last number of a workspace that were in no event. */
  const notifyUpTo = async (waiting: [mailboxId: string, entry: Entry][], last: number) => {
    for (const some of chunks(waiting.filter(([, { after }]) => after < last))) {
      const ids = some.map(([id]) => id);
      const after = some.reduce((least, [, entry]) => Math.min(least, entry.after), last);
      for (const row of await store.query(messagesAbove, ids, after, new Date(now()))) {
        notify(row.mailboxId, row);
      }
      for (const [, entry] of some) forgetUpTo(entry, last);
      await nextTurn();
    }
  };

  /** The numbers of a workspace have no gaps, so their count tells whether events were lost. */
  const checkWorkspace = (entry: Entry, last: number) => {
    if (forgetUpTo(entry, last)) return;
    for (const follower of entry.followers) follower.missed?.();
  };

  const sweep = async () => {
    sweeping = true;
    try {
      for (const some of chunks([...entries].filter(([, { isWorkspace }]) => !isWorkspace))) {
        await endGone(some.map(([id]) => id));
        await nextTurn();
      }
      const byWorkspace = Map.groupBy(entries, ([, { workspaceId }]) => workspaceId);
      for (const ids of chunks([...byWorkspace.keys()])) {
        for (const { id, last } of await store.query(lastNumbers, ids)) {
          const waiting = byWorkspace.get(id) ?? [];
          for (const [, entry] of waiting) if (entry.isWorkspace) checkWorkspace(entry, last);
          await notifyUpTo(waiting, last);
        }
      }
      for (const ids of chunks([...new Set([...all()].flatMap(({ tokenId }) => tokenId ?? []))])) {
        const live = new Set(
          (await store.query(liveTokenIds, ids, new Date(now()))).map(({ id }) => id),
        );
        for (const id of ids) if (!live.has(id)) endToken(id);
      }
    } catch (error) {
      log.warn('periodic check of waiting requests failed', { fault: errorText(error) });
    } finally {
      sweeping = false;
    }
  };

  const notifyEnded = (placeIds: string[], ended: EndedClaim[]) => {
    const byPlace = Map.groupBy(ended, ({ placeId }) => placeId);
    for (const id of placeIds) {
      const entry = entries.get(id);
      if (!entry) continue;
      const known = entry.endedLeases;
      entry.endedLeases = new Set();
      for (const { messageId, expiresAt } of byPlace.get(id) ?? []) {
        const key = `${messageId} ${expiresAt?.getTime()}`;
        entry.endedLeases.add(key);
        if (!known.has(key)) notifyClaim('released', id, messageId);
      }
    }
  };

  /** A lease can be seen after later ones have ended: its transaction may commit late. */
  const sweepLeases = async () => {
    if (sweepingLeases) return;
    const waiting = [...entries].filter(([, { followers }]) =>
      [...followers].some(({ claim }) => claim),
    );
    sweepingLeases = true;
    try {
      for (const isWorkspace of [false, true]) {
        const ended = isWorkspace ? endedClaimsOfWorkspaces : endedClaims;
        const places = waiting.filter(([, entry]) => entry.isWorkspace === isWorkspace);
        for (const ids of chunks(places.map(([id]) => id))) {
          notifyEnded(ids, await store.query(ended, ids, LEASE_WINDOW_MS));
        }
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
    if (!isLive) {
      void watch?.connect();
      for (const follower of all()) if (follower.claim) follower.missed?.();
    }
    if (!sweeping) void sweep();
  };

  const start = () => {
    watch = events.hub.watch({
      event: onEvent,
      claim: (change, { id, workspaceId }, messageId) => {
        for (const placeId of [id, workspaceId]) notifyClaim(change, placeId, messageId);
      },
      resubscribed: () => {
        for (const follower of all()) follower.missed?.();
      },
      revoked: endToken,
      stopping: () => {
        isStopping = true;
        for (const follower of all()) follower.end?.(stopping());
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
    subscribe(follower, after) {
      const { id, workspaceId } = follower.place;
      const entry = entries.get(id) ?? {
        workspaceId,
        isWorkspace: id === workspaceId,
        followers: new Set(),
        after,
        notified: new Set(),
        endedLeases: new Set(),
      };
      entries.set(id, entry);
      entry.followers.add(follower);
      if (isStopping) follower.end?.(stopping());
      else if (!watch) start();
      return () => {
        entry.followers.delete(follower);
        if (entry.followers.size === 0 && entries.get(id) === entry) entries.delete(id);
        if (entries.size === 0) stop();
      };
    },
  };
}

/**
 * The followers know of all messages up to this number. @returns whether they were notified of each
 */
function forgetUpTo(entry: Entry, last: number): boolean {
  const expected = last - entry.after;
  let notified = 0;
  for (const number of entry.notified) {
    if (number > last) continue;
    entry.notified.delete(number);
    notified += 1;
  }
  entry.after = Math.max(entry.after, last);
  return notified >= expected;
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is restarting. Retry the same request.');
}

function* chunks<Item>(items: Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += PER_STATEMENT)
    yield items.slice(at, at + PER_STATEMENT);
}
