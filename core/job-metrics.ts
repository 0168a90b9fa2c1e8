import { Counter, type Registry } from 'prom-client';

/** What befalls jobs. */
export function jobMetrics(registry: Registry) {
  const registers = [registry];
  return {
    failures: new Counter({
      name: 'mayfly_job_failures_total',
      help: 'Runs of jobs that failed, most of them to be tried again.',
      labelNames: ['queue'] as const,
      registers,
    }),
    stalls: new Counter({
      name: 'mayfly_job_stalls_total',
      help: 'Jobs whose worker was lost, run again.',
      labelNames: ['queue'] as const,
      registers,
    }),
    repairs: new Counter({
      name: 'mayfly_sweep_repairs_total',
      help: 'What sweeps had to put right or clear away.',
      labelNames: ['sweep'] as const,
      registers,
    }),
  };
}
