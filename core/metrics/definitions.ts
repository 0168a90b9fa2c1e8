/** Every metric: its name, its help text, the bounds of a histogram in seconds, and its labels. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** From a millisecond to the longest that anything here may take. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
/** For what may wait for minutes. */
const PATIENT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600, 3600];

/** States of deliveries that owe no attempt. */
const ENDS = ['delivered', 'abandoned', 'held', 'cancelled', 'expired'] as const;

function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string) => new Gauge({ name, help, registers }),
    histogram: <Label extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: Label[]
    ) => new Histogram({ name, help, buckets, labelNames, registers }),
  };
}

export function smtpMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricsIn(registry);
  return {
    accepted: counter(
      'mayfly_smtp_mails_accepted_total',
      'Mails answered with 250 after their final dot.',
    ),
    acceptedBytes: counter('mayfly_smtp_accepted_bytes_total', 'Bytes of those mails.'),
    acceptSeconds: histogram('mayfly_smtp_accept_seconds', 'From the final dot to the 250.', QUICK),
    refusals: counter(
      'mayfly_smtp_refusals_total',
      'Answers of 4xx and 5xx, by what was wrong.',
      'reason',
    ),
    connections: gauge('mayfly_smtp_connections', 'SMTP connections that are open.'),
  };
}

export function mailMetrics(registry: Registry) {
  const { counter, histogram } = metricsIn(registry);
  return {
    stored: counter('mayfly_mails_stored_total', 'Mails stored, however they came in.'),
    parseSeconds: histogram(
      'mayfly_mail_parse_seconds',
      'Parsing a mail that came in by SMTP, waiting for its turn included.',
      QUICK,
    ),
    parseErrors: counter('mayfly_mail_parse_errors_total', 'Mails stored with a parseError.'),
    ingestLagSeconds: histogram(
      'mayfly_ingest_lag_seconds',
      'From the final dot to the commit that makes a mail visible.',
      PATIENT,
    ),
    groupMails: histogram(
      'mayfly_group_commit_mails',
      'Mails that share a transaction.',
      [1, 2, 5, 10, 20, 50, 100, 200],
    ),
    groupSeconds: histogram(
      'mayfly_group_commit_seconds',
      'How long such a transaction takes.',
      QUICK,
    ),
    quarantined: counter('mayfly_mails_quarantined_total', 'Mails put into quarantine.'),
  };
}

export function webhookMetrics(registry: Registry) {
  const { counter, histogram } = metricsIn(registry);
  const ended = counter(
    'mayfly_webhook_deliveries_total',
    'Deliveries that owe no attempt any more, by the state they have come to.',
    'state',
  );
  // A counter that appears with its first event shows no rise from it.
  for (const state of ENDS) ended.inc({ state }, 0);
  return {
    ended,
    attempts: counter(
      'mayfly_webhook_attempts_total',
      'Attempts to deliver, by what came of them.',
      'outcome',
    ),
    attemptSeconds: histogram(
      'mayfly_webhook_attempt_seconds',
      'From the start of an attempt to the end of its answer, or to its failure; without our own waits.',
      QUICK,
    ),
    queueDelaySeconds: histogram(
      'mayfly_webhook_queue_delay_seconds',
      'From when an attempt was due to when it began.',
      PATIENT,
    ),
    paused: counter(
      'mayfly_webhooks_paused_total',
      'Webhooks paused for what their receivers did.',
    ),
  };
}

export function jobMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  return {
    failures: counter(
      'mayfly_job_failures_total',
      'Runs of jobs that failed, most of them to be tried again.',
      'queue',
    ),
    stalls: counter('mayfly_job_stalls_total', 'Jobs whose worker was lost, run again.', 'queue'),
    repairs: counter(
      'mayfly_sweep_repairs_total',
      'What sweeps had to put right or clear away.',
      'sweep',
    ),
  };
}

export function httpMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricsIn(registry);
  return {
    requests: counter(
      'mayfly_http_requests_total',
      'Requests answered.',
      'method',
      'route',
      'status',
    ),
    requestSeconds: histogram(
      'mayfly_http_request_seconds',
      'From the header of a request to the end of its answer, event streams left out.',
      QUICK,
      'method',
      'route',
    ),
    eventStreams: gauge('mayfly_event_streams', 'Event streams that are open.'),
  };
}
