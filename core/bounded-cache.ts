/** What caches keep: a bounded number of entries, and bytes that pin no others. */
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

/**
 * The text as UTF-8 in memory of its own, for bytes that are kept. Node puts small buffers into
 * slabs of 8 KiB that they share, and a kept buffer keeps its slab (docs/decisions.md, 10).
 */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
