/**
 * How the numbers of every process get to `/metrics`, which only web processes serve. On platforms with a Procfile
 * processes share nothing but Redis, the database and the blob store, and nobody outside can reach a worker. So
 * each process writes what it has counted since its start into Redis every few seconds, under its own instance,
 * and a web process that is asked puts all of them together; whichever it is, the answer is the same.
 *
 * What is written is the text that Prometheus reads, with the labels `process` and `instance` in it. Counters
 * only grow from one report to the next, so Prometheus never takes an older one for a restart. The last report of a
 * process that has ended stays for a minute, in which it can still be scraped. Reports are worth no fsync: the
 * script keeps its writes out of the append-only file, see no-aof.ts.
 */
import type { Metrics } from './metrics.js';
import type { RedisClient } from '../redis/client.js';
import { SKIP_AOF_PREAMBLE } from '../redis/no-aof.js';

const KEEP_SECONDS = 60;

const REPORT = `${SKIP_AOF_PREAMBLE}
local now = tonumber(redis.call('TIME')[1])
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])) do
  redis.call('ZREM', KEYS[1], gone)
  redis.call('HDEL', KEYS[2], gone)
end
redis.call('ZADD', KEYS[1], now, ARGV[2])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[1])`;

const READ = `
local now = tonumber(redis.call('TIME')[1])
local reports = {}
local found = redis.call('ZRANGEBYSCORE', KEYS[1], now - ARGV[1], '+inf', 'WITHSCORES')
for i = 1, #found, 2 do
  local text = redis.call('HGET', KEYS[2], found[i])
  if text then table.insert(reports, { found[i], now - found[i + 1], text }) end
end
return reports`;

interface Scripts {
  mayflyReport: (...args: (string | number)[]) => Promise<null>;
  mayflyReadReports: (
    ...args: (string | number)[]
  ) => Promise<[name: string, ageSeconds: number, text: string][]>;
}

/** What a process told last. */
export interface MetricReport {
  process: string;
  instance: string;
  ageSeconds: number;
  /** In Prometheus' text format. */
  text: string;
}

export interface MetricReports {
  /** Tells what this process has counted so far. */
  report: (metrics: Metrics) => Promise<void>;
  /** The last report of each process that made one in the last minute. */
  read: () => Promise<MetricReport[]>;
}

export function openMetricReports(redis: RedisClient, prefix: string): MetricReports {
  redis.defineCommand('mayflyReport', { numberOfKeys: 2, lua: REPORT });
  redis.defineCommand('mayflyReadReports', { numberOfKeys: 2, lua: READ });
  const scripts = redis as RedisClient & Scripts;
  const keys = [`${prefix}:metrics:times`, `${prefix}:metrics:texts`];
  return {
    async report({ role, instance, registry }) {
      const text = await registry.metrics();
      await scripts.mayflyReport(...keys, KEEP_SECONDS, `${role} ${instance}`, text);
    },
    async read() {
      const reports = await scripts.mayflyReadReports(...keys, KEEP_SECONDS);
      return reports.map(([name, ageSeconds, text]) => {
        const [process = '', instance = ''] = name.split(' ');
        return { process, instance, ageSeconds, text };
      });
    },
  };
}
