/** Starts metrics in a process: the default metrics of Node, and a periodic report to Redis. */
import { collectDefaultMetrics } from 'prom-client';
import { within } from '../time-limit.ts';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from './metrics.ts';
import type { MetricReports } from './shared-reports.ts';

const REPORT_EVERY_MS = 5000;
/** Time limit of the last report at shutdown. */
const LAST_REPORT_MS = 1000;
/** Sampling interval of the event loop lag. */
const LAG_PRECISION_MS = 20;

export interface Reporting {
  /** Sends a final report. */
  stop: () => Promise<void>;
}

interface Reporter {
  readonly metrics: Metrics & { readonly reports: MetricReports };
  readonly log: Logger;
}

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
      await within(LAST_REPORT_MS, report).catch(() => undefined);
    },
  };
}
