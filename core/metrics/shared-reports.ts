/**
 * Collects the metrics of all processes for `/metrics`, which only web processes serve: a scraper
 * cannot reach workers on Procfile platforms. Each process writes a report in the Prometheus text
 * format to Redis every few seconds under its own instance. A web process merges all of them.
 *
 * Counters only grow, so Prometheus does not detect false restarts. The last report of an ended
 * process stays for a minute. Reports are not in the append-only file, which costs an fsync.
 */
import { collectDefaultMetrics } from 'prom-client';
import type { Metrics } from './metrics.ts';
import type { RedisClient } from '../redis/client.ts';
import { SKIP_AOF_PREAMBLE } from '../redis/replication.ts';
import { withTimeout } from '../with-timeout.ts';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';

const KEEP_SECONDS = 60;
const REPORT_EVERY_MS = 5000;
/** Time limit of the last report at shutdown. */
const LAST_REPORT_MS = 1000;
/** Sampling interval of the event loop lag. */
const LAG_PRECISION_MS = 20;

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

/** The last report of a process. */
export interface MetricReport {
  process: string;
  instance: string;
  ageSeconds: number;
  /** In the Prometheus text format. */
  text: string;
}

export interface MetricReports {
  /** Reports the current metrics of this process. */
  report: (metrics: Metrics) => Promise<void>;
  /** The last report of each process that reported within the last minute. */
  read: () => Promise<MetricReport[]>;
}

export function openMetricReports(redis: RedisClient, prefix: string): MetricReports {
  redis.defineCommand('mayflyReport', { numberOfKeys: 2, lua: REPORT });
  redis.defineCommand('mayflyReadReports', { numberOfKeys: 2, lua: READ });
  const scripts = redis as RedisClient & Scripts;
  const keys = [`${prefix}:metrics:times`, `${prefix}:metrics:texts`] as const;
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

interface Reporting {
  /** Sends a final report. */
  stop: () => Promise<void>;
}

interface Reporter {
  readonly metrics: Metrics & { readonly reports: MetricReports };
  readonly log: Logger;
}

/** Starts metrics in a process: the default metrics of Node, and the periodic report. */
export function startReporting({ metrics, log }: Reporter): Reporting {
  collectDefaultMetrics({
    register: metrics.registry,
    eventLoopMonitoringPrecision: LAG_PRECISION_MS,
  });
  const report = () =>
    metrics.reports.report(metrics).catch((error: unknown) => {
      log.debug('metrics report failed', { fault: errorText(error) });
    });
  void report();
  const timer = setInterval(() => void report(), REPORT_EVERY_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await withTimeout(LAST_REPORT_MS, report).catch(() => undefined);
    },
  };
}
