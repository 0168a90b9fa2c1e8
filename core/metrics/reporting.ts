/** What an entry does for its process to be seen: the numbers of Node itself, and a report every few seconds. */
import { collectDefaultMetrics } from 'prom-client';
import type { FrontContext } from '../context.js';
import { within } from '../time-limit.js';
import { errorText } from '../errors.js';

const REPORT_EVERY_MS = 5000;
/** What the last report may hold up the stop of a process. */
const LAST_REPORT_MS = 1000;
/** How often Node looks how late its event loop is. */
const LAG_PRECISION_MS = 20;

export interface Reporting {
  /** Reports a last time. */
  stop: () => Promise<void>;
}

type Reporter = Pick<FrontContext, 'metrics' | 'log'>;

export function startReporting({ metrics, log }: Reporter): Reporting {
  collectDefaultMetrics({
    register: metrics.registry,
    eventLoopMonitoringPrecision: LAG_PRECISION_MS,
  });
  const report = () =>
    metrics.reports.report(metrics).catch((error: unknown) => {
      log.debug('metrics not reported', { fault: errorText(error) });
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
