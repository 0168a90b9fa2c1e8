import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { QUICK } from './metric-buckets.js';

/** What the SMTP process counts. */
export function smtpMetrics(registry: Registry) {
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
