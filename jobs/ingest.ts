import {
  enqueueHeavy,
  heavyRun,
  ingestCounted,
  ingestQuickly,
  ingestSlowly,
} from '../core/ingest/heavy.ts';
import type { IngestResult } from '../core/ingest/ingest-steps.ts';
import { heavyJob, slowJob, ingestJob, mailsOf } from '../core/intake/ingest-job.ts';
import { GiveUp, INGEST_LOCKS, cappedBackoff, defineJob } from '../core/queue/job.ts';
import { ingestLight } from '../core/ingest/light.ts';

/** Children that parse at the same time in a worker: these, and one of the slow queue. */
const HEAVY_AT_ONCE = 2;

/** Stores heavy mail within a short time limit. What exceeds it leaves for `ingest-slow`. */
export const ingestHeavy = defineJob(heavyJob, {
  worker: { concurrency: () => HEAVY_AT_ONCE, ...INGEST_LOCKS },
  backoff: cappedBackoff(30_000),
  async run(context, payload, run) {
    const mail = heavyRun(payload, run);
    const result = await ingestCounted(context, mail, ingestQuickly);
    if (result.kind === 'unparsed') await enqueueHeavy(context, slowJob, [mail.mail]);
    else finish(result);
  },
});

/** Stores heavy mail within the long time limit, one at a time. */
export const ingestSlow = defineJob(slowJob, {
  worker: { concurrency: () => 1, ...INGEST_LOCKS },
  backoff: cappedBackoff(30_000),
  readsMail: ({ mailId }) => mailId,
  async run(context, payload, run) {
    finish(await ingestCounted(context, heavyRun(payload, run), ingestSlowly));
  },
});

function finish(result: IngestResult): void {
  if (result.kind === 'failed') throw new GiveUp(result.reason);
}

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
