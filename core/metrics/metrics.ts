/**
 * What a process counts and measures for Prometheus: plain numbers in memory, that cost a mail or request no more
 * than an addition. How they get from every process to `/metrics` is told in shared-reports.ts; what they mean,
 * in docs/operating.md. Names and units follow https://prometheus.io/docs/practices/naming/.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import type { ProcessRole } from '../config/config.js';
import {
  httpMetrics,
  jobMetrics,
  mailMetrics,
  smtpMetrics,
  webhookMetrics,
} from './definitions.js';

export type Metrics = ReturnType<typeof openMetrics>;

/** The SMTP process has the metrics of its own work alone, the others all the rest. */
export function openMetrics(role: ProcessRole) {
  const instance = `${hostname()}-${randomBytes(3).toString('hex')}`;
  const registry = new Registry();
  registry.setDefaultLabels({ process: role, instance });
  const unseen = new Registry();
  const [front, behind] = role === 'smtp' ? [registry, unseen] : [unseen, registry];
  return {
    role,
    /** Where it runs, and one start of it, among all that run there. */
    instance,
    registry,
    smtp: smtpMetrics(front),
    mail: mailMetrics(behind),
    webhooks: webhookMetrics(behind),
    jobs: jobMetrics(behind),
    http: httpMetrics(behind),
  };
}
