import { ingestLight } from '../core/ingest/light.ts';
import { ingestJob, mailsOf } from '../core/intake/ingest-job.ts';
import { INGEST_LOCKS, cappedBackoff, defineJob } from '../core/queue/job.ts';

/**
 * Stores accepted mail in the database. Mail accepted with 250 is retried until it is stored,
 * without a limit for causes outside the mail. Repeats are harmless, because a mail is stored once
 * per ingest id. What this process must not parse leaves for `ingest-heavy`.
 */
export const ingestMessage = defineJob(ingestJob, {
  worker: { concurrency: ({ config }) => config.worker.concurrency, ...INGEST_LOCKS },
  backoff: cappedBackoff(30_000),
  run: (context, payload, run) => ingestLight(context, mailsOf(payload), run),
});
