/**
 * The Redis connection that receives published events. It opens with the first subscriber and
 * reconnects automatically. Each new connection is announced, because messages published in between
 * must be read from the history.
 */
import type { Redis } from 'ioredis';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import { loadOnce } from '../share-runs.ts';

export interface RedisSubscription {
  /**
   * Resolves once messages are received. Rejects if Redis is unavailable; the next call tries
   * again.
   */
  open: () => Promise<void>;
  /** Whether messages published now are received. */
  isLive: () => boolean;
  close: () => void;
}

export interface Handlers {
  channels: string[];
  message: (channel: string, text: string) => void;
  /** Messages published before this call may have been missed. */
  onResubscribed: () => void;
}

export function openRedisSubscription(
  openSubscriber: () => Redis,
  { channels, message, onResubscribed }: Handlers,
  log: Logger,
): RedisSubscription {
  let isLive = false;

  const subscription = loadOnce(async (): Promise<Redis> => {
    const subscriber = openSubscriber();
    subscriber.on('message', message);
    try {
      await Promise.all(channels.map((channel) => subscriber.subscribe(channel)));
    } catch (error) {
      subscriber.disconnect();
      throw error;
    }
    isLive = true;
    subscriber.on('close', () => {
      isLive = false;
    });
    subscriber.on('ready', () => {
      // ioredis resubscribes automatically but emits no event when that is done.
      Promise.all(channels.map((channel) => subscriber.subscribe(channel))).then(
        () => {
          isLive = true;
          onResubscribed();
        },
        (error: unknown) => {
          log.warn('event subscription failed', { fault: errorText(error) });
          subscriber.disconnect(true);
        },
      );
    });
    return subscriber;
  });

  return {
    async open() {
      await subscription.get();
    },
    isLive: () => isLive,
    close() {
      const disconnect = (subscriber: Redis) => {
        subscriber.disconnect();
      };
      subscription.current()?.then(disconnect, () => undefined);
    },
  };
}
