import { Counter, Histogram, type Registry } from 'prom-client';
import { PATIENT, QUICK } from './metric-buckets.js';

/** What becomes of accepted mail. */
export function mailMetrics(registry: Registry) {
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
