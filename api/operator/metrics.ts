/**
 * `/metrics` for Prometheus, protected by the operator password. Not available without a password.
 */
import { type RequestHandler, Router } from 'express';
import { Registry } from 'prom-client';
import type { Context } from '../../core/context.ts';
import { errorText } from '../../core/errors.ts';
import { mergeExpositions } from './exposition.ts';
import { requireOperator } from '../auth/operator-password.ts';
import { partMetrics, queueMetrics, reportMetrics } from './service-metrics.ts';

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
 * Metrics of all processes, or only of this one while Redis is unavailable. This process reports
 * first: its response must not contain values that other web processes cannot return yet, or a
 * counter would seem to decrease.
 */
async function overRedis(context: Context): Promise<string[]> {
  const { metrics, log } = context;
  try {
    await metrics.reports.report(metrics);
    const [reports, queues] = await Promise.all([metrics.reports.read(), queueMetrics(context)]);
    return [...reports.map(({ text }) => text), await reportMetrics(reports), queues];
  } catch (error) {
    log.warn('Redis unavailable, metrics of this process only', { fault: errorText(error) });
    return [await metrics.registry.metrics()];
  }
}
