/**
 * Distributes live events to the subscribers in this process. One Redis connection receives all
 * published events. A subscriber reads from the history first, at the start and after each loss of
 * that connection. A message that arrives during such a read only triggers another read, so no
 * event is missed or out of order.
 */
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { RedisClient } from '../redis/client.ts';
import { AppError, errorText } from '../errors.ts';
import { type EventHistory, type MissedEvents, parsePublished } from './history.ts';
import { openRedisSubscription } from './redis-subscription.ts';
import { type LiveEvent, type PublishedEvent, isLater } from './event.ts';
import { newSubscribers } from './subscribers.ts';
import type { Logger } from '../log.ts';

const READ_AGAIN_MS = 1000;

/** Callbacks of a subscriber. */
export interface Listener {
  event: (placed: PublishedEvent) => void;
  /** Some events may have been missed. */
  reset: () => void;
  /** The subscriber's token was revoked. */
  revoked: () => void;
  /** The process is stopping. */
  stopping: () => void;
}

export type ClaimChange = 'claimed' | 'released';

/** The mailbox of a claim. */
type ClaimPlace = Pick<MailboxRow, 'id' | 'workspaceId'>;

/** Callbacks of a watcher, which gets the new events of all workspaces and reads no history. */
export interface Watcher {
  event: (event: LiveEvent, workspaceId: string) => void;
  /** A message was claimed, or its claim was released. */
  claim: (change: ClaimChange, mailbox: ClaimPlace, messageId: string) => void;
  /** Events before this call may have been missed. */
  resubscribed: () => void;
  revoked: (tokenId: string) => void;
  stopping: () => void;
}

export interface WatchHandle {
  /** Whether events published now are received. */
  isLive: () => boolean;
  /** Subscribes if necessary. Resolves without effect while Redis is unavailable. */
  connect: () => Promise<void>;
  end: () => void;
}

export interface Subscription {
  /** Id of the last event, of any mailbox. */
  lastId: () => string;
  end: () => void;
}

export interface EventHub {
  /**
   * Subscribes to a workspace, starting after the given event or now. Resolves when missed events
   * are emitted.
   * @throws {AppError} `unavailable` if Redis is unavailable; nothing is emitted in that case.
   */
  subscribe: (
    who: { workspaceId: string; tokenId: string },
    after: string | undefined,
    listener: Listener,
  ) => Promise<Subscription>;
  /** Starts to watch; {@link WatchHandle.connect} opens the subscription. */
  watch: (watcher: Watcher) => WatchHandle;
  /**
   * Notifies all processes of a revoked token. Never rejects: each process also checks tokens
   * itself.
   */
  revoke: (tokenId: string) => Promise<void>;
  /** Notifies the watchers of all processes of claims made or released. Never rejects. */
  publishClaims: (change: ClaimChange, mailbox: ClaimPlace, messageIds: string[]) => Promise<void>;
  /** Ends all subscriptions and watchers, and new watchers at once. Rejects new subscriptions. */
  close: () => void;
}

interface Subscriber {
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
  const subscribers = newSubscribers<Subscriber>();
  const watchers = new Set<Watcher>();
  let isClosed = false;
  const revocations = `${history.channel}:revoked`;
  const channelOf = (change: ClaimChange) => `${history.channel}:${change}`;
  const changes = new Map<string, ClaimChange>(
    (['claimed', 'released'] as const).map((change) => [channelOf(change), change]),
  );

  const read = ({ workspaceId, lastId }: Subscriber) => history.read(workspaceId, lastId);

  const catchUp = async (subscriber: Subscriber) => {
    subscriber.isReading = true;
    while (subscriber.hasMore && subscribers.has(subscriber)) {
      subscriber.hasMore = false;
      emit(subscriber, await read(subscriber));
    }
    subscriber.isReading = false;
  };

  /** Catches up without a time limit and emits nothing before that. */
  const refresh = async (subscriber: Subscriber) => {
    if (subscriber.isReading) {
      subscriber.hasMore = true;
      return;
    }
    while (subscribers.has(subscriber)) {
      try {
        subscriber.hasMore = true;
        await catchUp(subscriber);
        return;
      } catch (error) {
        log.warn('live event history read failed', { fault: errorText(error) });
        await setTimeout(READ_AGAIN_MS, undefined, { ref: false });
      }
    }
  };

  const onMessage = (channel: string, message: string) => {
    if (channel === revocations) {
      for (const { tokenId, listener } of subscribers.all())
        if (tokenId === message) listener.revoked();
      for (const watcher of watchers) watcher.revoked(message);
      return;
    }
    const change = changes.get(channel);
    if (change) {
      const [workspaceId = '', id = '', ...messageIds] = message.split(' ');
      for (const messageId of messageIds)
        for (const watcher of watchers) watcher.claim(change, { id, workspaceId }, messageId);
      return;
    }
    const { workspaceId, id, event } = parsePublished(message);
    for (const watcher of watchers) watcher.event(event, workspaceId);
    for (const subscriber of subscribers.of(workspaceId)) {
      if (subscriber.isReading) subscriber.hasMore = true;
      else if (subscriber.lastId !== undefined && isLater(id, subscriber.lastId)) {
        subscriber.lastId = id;
        subscriber.listener.event({ id, event });
      }
    }
  };

  const subscription = openRedisSubscription(
    openSubscriber,
    {
      channels: [history.channel, revocations, ...changes.keys()],
      message: onMessage,
      onResubscribed: () => {
        for (const subscriber of subscribers.all()) void refresh(subscriber);
        for (const watcher of watchers) watcher.resubscribed();
      },
    },
    log,
  );

  return {
    async subscribe(who, after, listener) {
      const subscriber = { ...who, listener, lastId: after, isReading: true, hasMore: false };
      try {
        await subscription.open();
        if (isClosed) throw new Error('this process stops');
        subscribers.add(subscriber);
        const missed = await read(subscriber);
        if (!subscribers.has(subscriber)) throw new Error('this process stops');
        emit(subscriber, missed);
        subscriber.isReading = false;
        if (subscriber.hasMore) void refresh(subscriber);
      } catch (cause) {
        subscribers.delete(subscriber);
        throw new AppError(
          'unavailable',
          'Live events are temporarily unavailable. Retry in a few seconds.',
          { cause },
        );
      }
      return {
        lastId: () => subscriber.lastId ?? '',
        end: () => {
          subscribers.delete(subscriber);
        },
      };
    },
    watch(watcher) {
      if (isClosed) watcher.stopping();
      else watchers.add(watcher);
      return {
        isLive: subscription.isLive,
        async connect() {
          if (subscription.isLive()) return;
          try {
            await subscription.open();
            watcher.resubscribed();
          } catch (error) {
            log.debug('event subscription not opened', { fault: errorText(error) });
          }
        },
        end: () => {
          watchers.delete(watcher);
        },
      };
    },
    async revoke(tokenId) {
      try {
        await redis.publish(revocations, tokenId);
      } catch (error) {
        log.warn('publishing of token revocation failed', { fault: errorText(error) });
      }
    },
    async publishClaims(change, { id, workspaceId }, messageIds) {
      try {
        await redis.publish(channelOf(change), [workspaceId, id, ...messageIds].join(' '));
      } catch (error) {
        log.warn('publishing of claims failed', { fault: errorText(error) });
      }
    },
    close() {
      isClosed = true;
      for (const { listener } of subscribers.all()) listener.stopping();
      subscribers.clear();
      for (const watcher of watchers) watcher.stopping();
      watchers.clear();
      subscription.close();
    },
  };
}

function emit(subscriber: Subscriber, { events, last, isWhole }: MissedEvents): void {
  if (!isWhole) subscriber.listener.reset();
  for (const placed of events) subscriber.listener.event(placed);
  subscriber.lastId = last;
}
