import { LRUCache } from 'lru-cache';

/**
 * A cache that drops the least recently used entry above `maxEntries`. It grows with its entries:
 * with `max`, lru-cache takes memory for all of them when it is created (docs/decisions.md, 10).
 */
export function boundedCache<Value extends object | true>(
  maxEntries: number,
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
