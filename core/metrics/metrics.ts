/**
 * Metrics of a process: plain numbers in memory, so that recording costs no more than an addition.
 * shared-reports.ts describes how all processes report to `/metrics`. Names and units follow
 * https://prometheus.io/docs/practices/naming/.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import type { ProcessRole } from '../config/config.ts';
import {
  httpMetrics,
  jobMetrics,
  mailMetrics,
  smtpMetrics,
  webhookMetrics,
} from './definitions.ts';

export type Metrics = ReturnType<typeof openMetrics>;

/** The SMTP process has only the SMTP metrics, the other processes have the rest. */
export function openMetrics(role: ProcessRole) {
  const instance = `${hostname()}-${randomBytes(3).toString('hex')}`;
  const registry = new Registry();
  registry.setDefaultLabels({ process: role, instance });
  const unseen = new Registry();
  const [front, behind] = role === 'smtp' ? [registry, unseen] : [unseen, registry];
  return {
    role,
    /** Identifies the host and this start of the process on it. */
    instance,
    registry,
    smtp: smtpMetrics(front),
    mail: mailMetrics(behind),
    webhooks: webhookMetrics(behind),
    jobs: jobMetrics(behind),
    http: httpMetrics(behind),
  };
}
