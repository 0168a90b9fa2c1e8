/** `/metrics` for Prometheus, behind the operator's password; without one there is none. */
import { type RequestHandler, Router } from 'express';
import { Registry } from 'prom-client';
import type { Context } from '../../core/context.js';
import { errorText } from '../../core/errors.js';
import { mergeExpositions } from './exposition.js';
import { requireOperator } from '../auth/operator-password.js';
import { partMetrics, queueMetrics, reportMetrics } from './service-metrics.js';

export function metricsRoutes(context: Context, noStore: RequestHandler): Router {
  const router = Router();
  const { operatorPassword } = context.config;
  if (operatorPassword === null) return router;

  router.get('/metrics', noStore, requireOperator(context, operatorPassword), async (_req, res) => {
    const [parts, others] = await Promise.all([partMetrics(context), overRedis(context)]);
    res.setHeader('Content-Type', Registry.PROMETHEUS_CONTENT_TYPE);
    res.end(mergeExpositions([...others, parts]));
  });

  return router;
}

/**
 * Of all processes; of this one alone while Redis is away. This one reports first: what it has counted since
 * must not be shown before others can show it, or a counter would seem to go back.
 */
async function overRedis(context: Context): Promise<string[]> {
  const { metrics, log } = context;
  try {
    await metrics.reports.report(metrics);
    const [reports, queues] = await Promise.all([metrics.reports.read(), queueMetrics(context)]);
    return [...reports.map(({ text }) => text), await reportMetrics(reports), queues];
  } catch (error) {
    log.warn('metrics of this process only', { fault: errorText(error) });
    return [await metrics.registry.metrics()];
  }
}
