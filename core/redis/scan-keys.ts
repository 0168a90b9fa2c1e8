import { Cluster } from 'ioredis';
import type { RedisClient } from './client.ts';

const KEYS_A_ROUND = 1000;

/**
 * The keys that start with `start`, in pages, on every node of a cluster. SCAN iterates over the
 * whole keyspace without blocking it; a key that exists throughout is returned at least once
 * (redis.io/docs, "SCAN").
 */
export async function* keysOf(redis: RedisClient, start: string): AsyncIterable<string[]> {
  const pattern = `${start.replace(/[*?[\]\\]/g, '\\$&')}*`;
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', KEYS_A_ROUND);
      cursor = next;
      if (keys.length > 0) yield keys;
    } while (cursor !== '0');
  }
}
