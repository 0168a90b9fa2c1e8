/**
 * The Redis connection that receives what is published. It opens with the first subscriber and reconnects by
 * itself. What was published in between has to be read elsewhere, so each new connection is announced.
 */
import type { Redis } from 'ioredis';
import { errorText } from '../errors.js';
import type { Logger } from '../log.js';

export interface RedisSubscription {
  /** Resolves once messages arrive. Rejects while Redis is away; the next call tries again. */
  open: () => Promise<void>;
  close: () => void;
}

export interface Handlers {
  channels: string[];
  message: (channel: string, text: string) => void;
  /** Messages published before this moment may have been missed. */
  onResubscribed: () => void;
}

export function openRedisSubscription(
  openSubscriber: () => Redis,
  { channels, message, onResubscribed }: Handlers,
  log: Logger,
): RedisSubscription {
  let subscription: Promise<Redis> | null = null;

  const subscribe = async (): Promise<Redis> => {
    const subscriber = openSubscriber();
    subscriber.on('message', message);
    try {
      await subscriber.subscribe(...channels);
    } catch (error) {
      subscriber.disconnect();
      throw error;
    }
    subscriber.on('ready', () => {
      // ioredis subscribes again by itself, but emits no event when that is done.
      subscriber.subscribe(...channels).then(onResubscribed, (error: unknown) => {
        log.warn('live events not heard', { fault: errorText(error) });
        subscriber.disconnect(true);
      });
    });
    return subscriber;
  };

  return {
    async open() {
      subscription ??= subscribe();
      try {
        await subscription;
      } catch (error) {
        subscription = null;
        throw error;
      }
    },
    close() {
      const disconnect = (subscriber: Redis) => {
        subscriber.disconnect();
      };
      subscription?.then(disconnect, () => undefined);
    },
  };
}
