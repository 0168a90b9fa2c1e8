/** All metrics: name, help text, labels, and buckets of histograms in seconds. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** From 1 ms to the longest time limit. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
/** For operations that can wait for minutes. */
const PATIENT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600, 3600];

/** Final states of deliveries. */
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
    accepted: counter('mayfly_smtp_mails_accepted_total', 'Mail accepted with 250.'),
    acceptedBytes: counter('mayfly_smtp_accepted_bytes_total', 'Bytes of mail accepted with 250.'),
    acceptSeconds: histogram(
      'mayfly_smtp_accept_seconds',
      'Time from the final dot to the 250 reply, in seconds.',
      QUICK,
    ),
    refusals: counter(
      'mayfly_smtp_refusals_total',
      'SMTP replies with 4xx and 5xx by reason.',
      'reason',
    ),
    connections: gauge('mayfly_smtp_connections', 'Open SMTP connections.'),
  };
}

export function mailMetrics(registry: Registry) {
  const { counter, histogram } = metricsIn(registry);
  return {
    stored: counter(
      'mayfly_mails_stored_total',
      'Stored mail, received by SMTP or sent by the API.',
    ),
    parseSeconds: histogram(
      'mayfly_mail_parse_seconds',
      'Time to parse a mail received by SMTP, including the wait for its turn, in seconds.',
      QUICK,
    ),
    parseErrors: counter('mayfly_mail_parse_errors_total', 'Mail stored with a parseError.'),
    ingestLagSeconds: histogram(
      'mayfly_ingest_lag_seconds',
      'Time from the final dot to the commit that makes the mail visible, in seconds.',
      PATIENT,
    ),
    groupMails: histogram(
      'mayfly_group_commit_mails',
      'Amount of mail per group commit.',
      [1, 2, 5, 10, 20, 50, 100, 200],
    ),
    groupSeconds: histogram(
      'mayfly_group_commit_seconds',
      'Duration of a group commit, in seconds.',
      QUICK,
    ),
    quarantined: counter('mayfly_mails_quarantined_total', 'Quarantined mail.'),
  };
}

export function webhookMetrics(registry: Registry) {
  const { counter, histogram } = metricsIn(registry);
  const ended = counter(
    'mayfly_webhook_deliveries_total',
    'Deliveries that became delivered, abandoned, held, cancelled or expired, by state.',
    'state',
  );
  // A counter that first appears with the value 1 shows no increase, so all start at 0.
  for (const state of ENDS) ended.inc({ state }, 0);
  return {
    ended,
    attempts: counter('mayfly_webhook_attempts_total', 'Delivery attempts by outcome.', 'outcome'),
    attemptSeconds: histogram(
      'mayfly_webhook_attempt_seconds',
      'Time from the start of an attempt to the end of the response or the failure, without internal waits, in seconds.',
      QUICK,
    ),
    queueDelaySeconds: histogram(
      'mayfly_webhook_queue_delay_seconds',
      'Delay between the due time and the start of an attempt, in seconds.',
      PATIENT,
    ),
    paused: counter('mayfly_webhooks_paused_total', 'Webhooks paused automatically.'),
  };
}

export function jobMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  return {
    failures: counter(
      'mayfly_job_failures_total',
      'Failed job runs, most of which are retried.',
      'queue',
    ),
    stalls: counter(
      'mayfly_job_stalls_total',
      'Jobs run again because their worker was lost.',
      'queue',
    ),
    leftOut: counter(
      'mayfly_job_mails_left_out_total',
      'Mails left out of a job because they ended its process.',
      'queue',
    ),
    repairs: counter('mayfly_sweep_repairs_total', 'Repairs made by sweeps.', 'sweep'),
  };
}

export function httpMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricsIn(registry);
  return {
    requests: counter(
      'mayfly_http_requests_total',
      'HTTP requests by method, route and status.',
      'method',
      'route',
      'status',
    ),
    requestSeconds: histogram(
      'mayfly_http_request_seconds',
      'Time from the request header to the end of the response, without event streams, in seconds.',
      QUICK,
      'method',
      'route',
    ),
    eventStreams: gauge('mayfly_event_streams', 'Open event streams.'),
    waits: gauge('mayfly_waits', 'Requests that wait for messages.'),
  };
}
