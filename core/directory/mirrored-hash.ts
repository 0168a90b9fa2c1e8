/** A Redis hash that mirrors rows of the database. */
import type { RedisClient } from '../redis/client.ts';

/** The mirrored rows, as pairs of field and value. */
export interface MirrorSource {
  /** All rows in pages, in any order. */
  pages: () => AsyncIterable<[field: string, value: string][]>;
  /** The rows of the seen fields; a field without a row is absent. */
  find: (seen: ReadonlyMap<string, string>) => Promise<[field: string, value: string][]>;
}

export interface MirroredHash {
  /** Adds missing fields; returns their number. */
  addMissing: (source: MirrorSource) => Promise<number>;
  /** Corrects or removes each field that differs from its row; returns their number. */
  correctStale: (source: MirrorSource) => Promise<number>;
}

/** Sets a field (or deletes it, for an empty new value) if it still has the value read before. */
const REPLACE = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1])
else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`;

const SCAN_COUNT = 500;

export function openMirroredHash(redis: RedisClient, key: string): MirroredHash {
  const replace = async (field: string, seen: string, now: string) =>
    (await redis.eval(REPLACE, 1, key, field, seen, now)) === 1;

  return {
    /** An existing entry is at least as new as the page being read. */
    async addMissing(source) {
      let added = 0;
      for await (const page of source.pages()) {
        if (page.length === 0) continue;
        const fields = page.map(([field]) => field);
        const known = (await redis.call('HMGET', [key, ...fields])) as (string | null)[];
        const missing = page.filter((_, index) => known[index] === null);
        if (missing.length === 0) continue;
        const pipeline = redis.pipeline();
        for (const [field, value] of missing) pipeline.hsetnx(key, field, value);
        for (const [error, reply] of (await pipeline.exec()) ?? []) {
          if (error) throw error;
          added += reply === 1 ? 1 : 0;
        }
      }
      return added;
    },
    /** Reads Redis before the database: an entry exists only after its row. */
    async correctStale(source) {
      let corrected = 0;
      let cursor = '0';
      do {
        const [next, flat] = await redis.hscan(key, cursor, 'COUNT', SCAN_COUNT);
        cursor = next;
        const seen = pairs(flat);
        const live = new Map(await source.find(seen));
        for (const [field, value] of seen) {
          const truth = live.get(field) ?? '';
          if (truth !== value && (await replace(field, value, truth))) corrected += 1;
        }
      } while (cursor !== '0');
      return corrected;
    },
  };
}

function pairs(flat: string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < flat.length; i += 2) map.set(flat[i] ?? '', flat[i + 1] ?? '');
  return map;
}

/**
 * Resolves after Redis has sent its reports of the changes made before. Redis writes its replies
 * and its reports in any order, but all of one round before it reads again: after one more round
 * trip the reports are sent.
 */
export async function reportsSent(redis: RedisClient): Promise<void> {
  if ('ping' in redis) await redis.ping();
}
