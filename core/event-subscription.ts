/**
 * The connection on which this process hears what is published. It is opened when somebody first wants to hear,
 * and reconnects by itself; what was published meanwhile has to be read elsewhere, so each new connection is told.
 */
import type { Redis } from 'ioredis';
import { errorText } from './errors.js';
import type { Logger } from './log.js';

export interface EventSubscription {
  /** Resolves once everything is heard. Rejects while Redis is away; the next call tries again. */
  open: () => Promise<void>;
  close: () => void;
}

export interface Hearing {
  channels: string[];
  message: (channel: string, text: string) => void;
  /** What was published before this moment may not have been heard. */
  heardAnew: () => void;
}

export function openEventSubscription(
  openSubscriber: () => Redis,
  { channels, message, heardAnew }: Hearing,
  log: Logger,
): EventSubscription {
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
      // ioredis does so by itself, but does not tell when it is done.
      subscriber.subscribe(...channels).then(heardAnew, (error: unknown) => {
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
