/**
 * What a process counts and measures for Prometheus: plain numbers in memory, that cost a mail or request no more
 * than an addition. How they get from every process to `/metrics` is told in metric-reports.ts; what they mean,
 * in the README. Names and units follow https://prometheus.io/docs/practices/naming/.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ProcessRole } from './config.js';

/** Seconds, from a millisecond to the longest that anything here may take. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
/** Seconds, for what may wait for minutes. */
const PATIENT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600, 3600];

export type Metrics = ReturnType<typeof openMetrics>;

/** States of deliveries that owe no attempt. */
const ENDS = ['delivered', 'abandoned', 'held', 'cancelled', 'expired'] as const;

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

function smtpMetrics(registry: Registry) {
  const registers = [registry];
  return {
    accepted: new Counter({
      name: 'mayfly_smtp_mails_accepted_total',
      help: 'Mails answered with 250 after their final dot.',
      registers,
    }),
    acceptedBytes: new Counter({
      name: 'mayfly_smtp_accepted_bytes_total',
      help: 'Bytes of those mails.',
      registers,
    }),
    acceptSeconds: new Histogram({
      name: 'mayfly_smtp_accept_seconds',
      help: 'From the final dot to the 250.',
      buckets: QUICK,
      registers,
    }),
    refusals: new Counter({
      name: 'mayfly_smtp_refusals_total',
      help: 'Answers of 4xx and 5xx, by what was wrong.',
      labelNames: ['reason'] as const,
      registers,
    }),
    connections: new Gauge({
      name: 'mayfly_smtp_connections',
      help: 'SMTP connections that are open.',
      registers,
    }),
  };
}

function mailMetrics(registry: Registry) {
  const registers = [registry];
  return {
    stored: new Counter({
      name: 'mayfly_mails_stored_total',
      help: 'Mails stored, however they came in.',
      registers,
    }),
    parseSeconds: new Histogram({
      name: 'mayfly_mail_parse_seconds',
      help: 'Parsing a mail that came in by SMTP, waiting for its turn included.',
      buckets: QUICK,
      registers,
    }),
    parseErrors: new Counter({
      name: 'mayfly_mail_parse_errors_total',
      help: 'Mails stored with a parseError.',
      registers,
    }),
    ingestLagSeconds: new Histogram({
      name: 'mayfly_ingest_lag_seconds',
      help: 'From the final dot to the commit that makes a mail visible.',
      buckets: PATIENT,
      registers,
    }),
    groupMails: new Histogram({
      name: 'mayfly_group_commit_mails',
      help: 'Mails that share a transaction.',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200],
      registers,
    }),
    groupSeconds: new Histogram({
      name: 'mayfly_group_commit_seconds',
      help: 'How long such a transaction takes.',
      buckets: QUICK,
      registers,
    }),
    quarantined: new Counter({
      name: 'mayfly_mails_quarantined_total',
      help: 'Mails put into quarantine.',
      registers,
    }),
  };
}

function webhookMetrics(registry: Registry) {
  const registers = [registry];
  const ended = new Counter({
    name: 'mayfly_webhook_deliveries_total',
    help: 'Deliveries that owe no attempt any more, by the state they have come to.',
    labelNames: ['state'] as const,
    registers,
  });
  // A counter that appears with its first event shows no rise from it.
  for (const state of ENDS) ended.inc({ state }, 0);
  return {
    ended,
    attempts: new Counter({
      name: 'mayfly_webhook_attempts_total',
      help: 'Attempts to deliver, by what came of them.',
      labelNames: ['outcome'] as const,
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'mayfly_webhook_attempt_seconds',
      help: 'How long receivers took to answer, or calls to fail.',
      buckets: QUICK,
      registers,
    }),
    queueDelaySeconds: new Histogram({
      name: 'mayfly_webhook_queue_delay_seconds',
      help: 'From when an attempt was due to when it began.',
      buckets: PATIENT,
      registers,
    }),
    paused: new Counter({
      name: 'mayfly_webhooks_paused_total',
      help: 'Webhooks paused for what their receivers did.',
      registers,
    }),
  };
}

function jobMetrics(registry: Registry) {
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

function httpMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'mayfly_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'status'] as const,
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'mayfly_http_request_seconds',
      help: 'From the header of a request to the end of its answer, event streams left out.',
      labelNames: ['method', 'route'] as const,
      buckets: QUICK,
      registers,
    }),
    eventStreams: new Gauge({
      name: 'mayfly_event_streams',
      help: 'Event streams that are open.',
      registers,
    }),
  };
}
