/**
 * `/metrics` for Prometheus, protected by the operator password. Not available without a password.
 */
import { type RequestHandler, Router } from 'express';
import { Registry } from 'prom-client';
import type { Context } from '../../core/context.ts';
import { errorText } from '../../core/errors.ts';
import { requireOperator } from '../auth/operator-password.ts';
import { partMetrics, queueMetrics, reportMetrics } from './service-metrics.ts';

const NAME = /^# HELP (\S+) /;

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

/**
 * Merges texts in the Prometheus exposition format
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). All lines of a metric must be in
 * one group, below one HELP and one TYPE line. The metrics of each text are groups separated by
 * empty lines, as prom-client writes them.
 */
function mergeExpositions(texts: string[]): string {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    for (const group of text.split('\n\n')) {
      const [help = '', type = '', ...samples] = group.trim().split('\n');
      const name = NAME.exec(help)?.[1];
      if (name === undefined) continue;
      const lines = groups.get(name);
      if (lines) for (const sample of samples) lines.push(sample);
      else groups.set(name, [help, type, ...samples]);
    }
  }
  return [...groups.values()].map((lines) => `${lines.join('\n')}\n`).join('\n');
}
