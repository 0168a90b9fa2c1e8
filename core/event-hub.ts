/**
 * Who follows the events of a workspace, in this process. One connection hears all that is published. A follower
 * is always brought up from the history first, at the beginning and whenever that connection was lost, and what
 * is heard meanwhile only means that there is more to read: so nothing is missed or told out of order.
 */
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisClient } from './redis.js';
import { AppError, errorText } from './errors.js';
import { type EventHistory, type Missed, parsePublished } from './event-history.js';
import { openEventSubscription } from './event-subscription.js';
import { type PlacedEvent, isLater } from './live-event.js';
import type { Logger } from './log.js';

const READ_AGAIN_MS = 1000;

/** What a follower is told. */
export interface Listener {
  event: (placed: PlacedEvent) => void;
  /** Some events may have been missed. */
  reset: () => void;
  /** The token in whose name it follows has been revoked. */
  revoked: () => void;
  /** This process stops. */
  stopping: () => void;
}

export interface Followed {
  /** The id of the last event there was, of whatever mailbox. */
  lastId: () => string;
  end: () => void;
}

export interface EventHub {
  /**
   * Follows a workspace from after the given event, or from now; resolves when what was missed has been told.
   * @throws {AppError} `unavailable` while Redis is away; nothing has been told then.
   */
  follow: (
    who: { workspaceId: string; tokenId: string },
    after: string | undefined,
    listener: Listener,
  ) => Promise<Followed>;
  /** How many follow this workspace here. */
  count: (workspaceId: string) => number;
  /** Tells every process that a token is revoked. Never rejects: each also asks for itself. */
  revoke: (tokenId: string) => Promise<void>;
  /** Ends all that follow; nobody can from then on. */
  close: () => void;
}

interface Follower {
  workspaceId: string;
  tokenId: string;
  listener: Listener;
  lastId: string | undefined;
  isReading: boolean;
  hasMore: boolean;
}

export function openEventHub(
  history: EventHistory,
  redis: RedisClient,
  openSubscriber: () => Redis,
  log: Logger,
): EventHub {
  const followers = new Set<Follower>();
  const revocations = `${history.channel}:revoked`;

  const read = ({ workspaceId, lastId }: Follower) => history.read(workspaceId, lastId);

  const catchUp = async (follower: Follower) => {
    follower.isReading = true;
    while (follower.hasMore && followers.has(follower)) {
      follower.hasMore = false;
      tell(follower, await read(follower));
    }
    follower.isReading = false;
  };

  /** Catches up however long it takes, and tells nothing until then. */
  const refresh = async (follower: Follower) => {
    if (follower.isReading) {
      follower.hasMore = true;
      return;
    }
    while (followers.has(follower)) {
      try {
        follower.hasMore = true;
        await catchUp(follower);
        return;
      } catch (error) {
        log.warn('live events not read', { fault: errorText(error) });
        await setTimeout(READ_AGAIN_MS, undefined, { ref: false });
      }
    }
  };

  const heard = (channel: string, message: string) => {
    if (channel === revocations) {
      for (const { tokenId, listener } of followers) if (tokenId === message) listener.revoked();
      return;
    }
    const { workspaceId, id, event } = parsePublished(message);
    for (const follower of followers) {
      if (follower.workspaceId !== workspaceId) continue;
      if (follower.isReading) follower.hasMore = true;
      else if (follower.lastId !== undefined && isLater(id, follower.lastId)) {
        follower.lastId = id;
        follower.listener.event({ id, event });
      }
    }
  };

  const subscription = openEventSubscription(
    openSubscriber,
    {
      channels: [history.channel, revocations],
      message: heard,
      heardAnew: () => {
        for (const follower of followers) void refresh(follower);
      },
    },
    log,
  );

  return {
    async follow(who, after, listener) {
      const follower = { ...who, listener, lastId: after, isReading: true, hasMore: false };
      try {
        await subscription.open();
        followers.add(follower);
        const missed = await read(follower);
        if (!followers.has(follower)) throw new Error('this process stops');
        tell(follower, missed);
        follower.isReading = false;
        if (follower.hasMore) void refresh(follower);
      } catch (cause) {
        followers.delete(follower);
        throw new AppError('unavailable', 'The live events cannot be reached.', { cause });
      }
      return {
        lastId: () => follower.lastId ?? '',
        end: () => followers.delete(follower),
      };
    },
    count: (workspaceId) =>
      [...followers].filter((follower) => follower.workspaceId === workspaceId).length,
    async revoke(tokenId) {
      try {
        await redis.publish(revocations, tokenId);
      } catch (error) {
        log.warn('revocation not told', { fault: errorText(error) });
      }
    },
    close() {
      for (const { listener } of followers) listener.stopping();
      followers.clear();
      subscription.close();
    },
  };
}

function tell(follower: Follower, { events, last, isWhole }: Missed): void {
  if (!isWhole) follower.listener.reset();
  for (const placed of events) follower.listener.event(placed);
  follower.lastId = last;
}
