import { ingestHeavy } from '../core/ingest/ingest-heavy.js';
import { ingestJob } from '../core/ingest/ingest-job.js';
import { ingest } from '../core/ingest/ingest-steps.js';
import { ENDLESS } from '../core/queue/job-contract.js';
import { GiveUp, RunLater, cappedBackoff, defineJob } from '../core/queue/job.js';

/**
 * Stores accepted mail in the database. A mail that was answered with 250 is retried until it is stored, however often
 * the cause lies outside the mail. Repeats are harmless, since a mail is stored once for its ingest id.
 *
 * Mail that is large or slow to parse, or that was active when a worker crashed, is heavy and parsed in a
 * child process (ingest-heavy.ts). All other mail is parsed in this process.
 */
export const ingestMessage = defineJob(ingestJob, {
  worker: {
    concurrency: ({ config }) => config.worker.concurrency,
    lockDuration: 10_000,
    stalledInterval: 3_000,
    maxStalledCount: ENDLESS,
  },
  backoff: cappedBackoff(30_000),
  async run(context, accepted, { stalls }) {
    const { heavyMailQueue, parsePool } = context.ingest;
    const { ingestId, raw } = accepted;
    const isHeavy =
      raw.in === 'blob' || stalls > 0 || heavyMailQueue.requeued(ingestId) !== undefined;
    const light = isHeavy ? null : await ingest(context, accepted, parsePool.parseInline);
    const result =
      light && light.kind !== 'unparsed' ? light : await ingestHeavy(context, accepted, stalls > 1);
    if (result.kind === 'requeue') throw new RunLater(result.delayMs);
    if (result.kind === 'failed') throw new GiveUp(result.reason);
  },
});
