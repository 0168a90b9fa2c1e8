import { Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from '../config/redis-address.ts';

/**
 * Reconnects the client when a sentinel reports another master. The former one can stay reachable
 * for many seconds, in which it takes writes that are lost. The `failoverDetector` of ioredis ends
 * a client for good that is connecting when the report arrives.
 * @param options of the connections to the sentinels.
 */
export function followSentinels(
  client: Redis,
  { sentinels, name, sentinelPassword }: Extract<RedisAddress, { kind: 'sentinel' }>,
  options: RedisOptions,
): void {
  const subscribers = sentinels.map((sentinel) => {
    const subscriber = new Redis({
      ...options,
      ...sentinel,
      ...(sentinelPassword === null ? {} : { password: sentinelPassword }),
      maxRetriesPerRequest: null,
    });
    subscriber.on('error', () => undefined); // reported by the client itself, which asks them too
    // NAME, then address and port of the former and of the new master.
    subscriber.on('message', (_channel, text: string) => {
      const [switched, , , address = '', port] = text.split(' ');
      if (switched !== name || client.status !== 'ready') return;
      const { remoteAddress, remotePort } = client.stream;
      const isThere = remotePort === Number(port) && remoteAddress?.endsWith(address);
      if (!isThere) client.disconnect(true);
    });
    subscriber.subscribe('+switch-master').catch(() => undefined); // closed before it connected
    return subscriber;
  });
  client.once('end', () => {
    for (const subscriber of subscribers) subscriber.disconnect();
  });
}
