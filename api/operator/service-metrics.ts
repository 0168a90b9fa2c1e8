/**
 * Metrics that no single process counts, read from Redis, the database and the blob store on each
 * scrape.
 */
import { Gauge, Registry } from 'prom-client';
import type { Context } from '../../core/context.ts';
import type { MetricReport } from '../../core/metrics/shared-reports.ts';
import { checkDependencies } from '../../core/instance/readiness.ts';
import { oldestDueAt } from '../../core/delivery/requeue-lost.ts';
import { indexLag } from '../../core/search/index-mails.ts';
import { type AnyJobContract, jobContracts } from '../../core/job-contracts.ts';

/** States in which a job can stay for a long time. */
const STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;

/** Reachability of the dependencies, the delay of deliveries and of the search index. */
export async function partMetrics(context: Context): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const up = new Gauge({
    name: 'mayfly_part_up',
    help: '1 if the dependency is reachable from the web process that was scraped.',
    labelNames: ['part'] as const,
    registers,
  });
  const parts = await checkDependencies(context);
  for (const [part, state] of Object.entries(parts)) up.set({ part }, state === 'ok' ? 1 : 0);
  if (parts.database === 'ok') {
    const overdue = new Gauge({
      name: 'mayfly_webhook_overdue_seconds',
      help: 'Age of the oldest due delivery attempt, in seconds; 0 if none is due.',
      registers,
    });
    overdue.set(secondsSince(context, (await oldestDueAt(context))?.getTime()));
    if (context.config.searchIndex) await measureIndex(context, registry);
  }
  return registry.metrics();
}

async function measureIndex(context: Context, registry: Registry): Promise<void> {
  const registers = [registry];
  const pending = new Gauge({
    name: 'mayfly_search_index_pending',
    help: 'Stored mail that is not in the search index, counted up to 100,000.',
    registers,
  });
  const lag = new Gauge({
    name: 'mayfly_search_index_lag_seconds',
    help: 'Age of the oldest mail that waits for the search index, in seconds; 0 if none waits.',
    registers,
  });
  const { unindexed, since } = await indexLag(context);
  pending.set(unindexed);
  lag.set(secondsSince(context, since));
}

/** Time since the last report of each process. */
export async function reportMetrics(reports: MetricReport[]): Promise<string> {
  const registry = new Registry();
  const age = new Gauge({
    name: 'mayfly_process_report_age_seconds',
    help: 'Time since the last report of a process, in seconds; processes report every 5 seconds.',
    labelNames: ['process', 'instance'] as const,
    registers: [registry],
  });
  for (const { process, instance, ageSeconds } of reports) {
    age.set({ process, instance }, ageSeconds);
  }
  return registry.metrics();
}

/** Metrics of the queues and of waiting raw mail. Rejects while Redis is unavailable. */
export async function queueMetrics(
  context: Pick<Context, 'now' | 'queues' | 'mailSpool'>,
): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const jobs = new Gauge({
    name: 'mayfly_queue_jobs',
    help: 'Jobs in a queue by state.',
    labelNames: ['queue', 'state'] as const,
    registers,
  });
  const age = new Gauge({
    name: 'mayfly_queue_oldest_waiting_seconds',
    help: 'Age of the first waiting job, in seconds; 0 if none waits.',
    labelNames: ['queue'] as const,
    registers,
  });
  const mails = new Gauge({
    name: 'mayfly_raw_mails',
    help: 'Accepted mail not stored yet, waiting or quarantined.',
    labelNames: ['state'] as const,
    registers,
  });
  const bytes = new Gauge({
    name: 'mayfly_raw_mail_bytes',
    help: 'Bytes of accepted mail not stored yet, waiting or quarantined.',
    labelNames: ['state'] as const,
    registers,
  });

  const look = async (job: AnyJobContract) => {
    const queue = await context.queues.open(job);
    const [counts, first] = await Promise.all([
      queue.getJobCounts(...STATES),
      queue.getJobs(['waiting', 'prioritized'], 0, 0, true),
    ]);
    for (const state of STATES) jobs.set({ queue: job.name, state }, counts[state] ?? 0);
    const oldest = first.reduce((least, { timestamp }) => Math.min(least, timestamp), Infinity);
    age.set({ queue: job.name }, secondsSince(context, oldest));
  };
  const [totals] = await Promise.all([context.mailSpool.totals(), ...jobContracts.map(look)]);
  for (const [state, total] of Object.entries(totals)) {
    mails.set({ state }, total.mails);
    bytes.set({ state }, total.bytes);
  }
  return registry.metrics();
}

function secondsSince({ now }: Pick<Context, 'now'>, time: number | undefined): number {
  return time === undefined ? 0 : Math.max(0, now() - time) / 1000;
}
