/** What no process counts alone: asked of Redis, the database and the blob store when somebody wants to know. */
import { Gauge, Registry } from 'prom-client';
import type { Context } from '../../core/context.js';
import type { MetricReport } from '../../core/metrics/shared-reports.js';
import { checkDependencies } from '../../core/instance/readiness.js';
import { oldestDueAt } from '../../core/delivery/log.js';
import { type AnyJobContract, jobContracts } from '../../core/job-contracts.js';

/** Those in which a job may be for long. */
const STATES = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;

/** Which parts answer, and what is overdue in the database. */
export async function partMetrics(context: Context): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const up = new Gauge({
    name: 'mayfly_part_up',
    help: 'Whether a part answers the web process that was asked.',
    labelNames: ['part'] as const,
    registers,
  });
  const parts = await checkDependencies(context);
  for (const [part, state] of Object.entries(parts)) up.set({ part }, state === 'ok' ? 1 : 0);
  if (parts.database === 'ok') {
    const overdue = new Gauge({
      name: 'mayfly_webhook_overdue_seconds',
      help: 'Since the attempt was due that has waited longest, or that is being made; 0 without one.',
      registers,
    });
    overdue.set(secondsSince(context, (await oldestDueAt(context))?.getTime()));
  }
  return registry.metrics();
}

/** How long ago each process reported. */
export async function reportMetrics(reports: MetricReport[]): Promise<string> {
  const registry = new Registry();
  const age = new Gauge({
    name: 'mayfly_process_report_age_seconds',
    help: 'Since a process last reported; processes do so every 5 seconds.',
    labelNames: ['process', 'instance'] as const,
    registers: [registry],
  });
  for (const { process, instance, ageSeconds } of reports) {
    age.set({ process, instance }, ageSeconds);
  }
  return registry.metrics();
}

/** What waits in the queues, and which raw mail waits with them. Rejects while Redis is away. */
export async function queueMetrics(
  context: Pick<Context, 'now' | 'queues' | 'mailSpool'>,
): Promise<string> {
  const registry = new Registry();
  const registers = [registry];
  const jobs = new Gauge({
    name: 'mayfly_queue_jobs',
    help: 'Jobs in a queue.',
    labelNames: ['queue', 'state'] as const,
    registers,
  });
  const age = new Gauge({
    name: 'mayfly_queue_oldest_waiting_seconds',
    help: 'Since the job was added that is first among the waiting; 0 without one.',
    labelNames: ['queue'] as const,
    registers,
  });
  const mails = new Gauge({
    name: 'mayfly_raw_mails',
    help: 'Accepted mails not stored yet, waiting or in quarantine.',
    labelNames: ['state'] as const,
    registers,
  });
  const bytes = new Gauge({
    name: 'mayfly_raw_mail_bytes',
    help: 'Their bytes.',
    labelNames: ['state'] as const,
    registers,
  });

  const look = async (job: AnyJobContract) => {
    const queue = await context.queues.open(job);
    const [counts, first] = await Promise.all([
      queue.getJobCounts(...STATES),
      queue.getJobs(['waiting'], 0, 0, true),
    ]);
    for (const state of STATES) jobs.set({ queue: job.name, state }, counts[state] ?? 0);
    age.set({ queue: job.name }, secondsSince(context, first[0]?.timestamp));
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
