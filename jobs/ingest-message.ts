import { ingestGroup } from '../core/ingest/ingest-group.ts';
import { ingestHeavy } from '../core/ingest/ingest-heavy.ts';
import { ingestJob } from '../core/intake/ingest-job.ts';
import { ingest } from '../core/ingest/ingest-steps.ts';
import { ENDLESS } from '../core/queue/job-contract.ts';
import { GiveUp, RunLater, cappedBackoff, defineJob } from '../core/queue/job.ts';

/**
 * Stores accepted mail in the database. Mail accepted with 250 is retried until it is stored,
 * without a limit for causes outside the mail. Repeats are harmless, because a mail is stored once
 * per ingest id. Mails that were accepted together share a job (ingest-group.ts).
 *
 * Mail that is large, slow to parse, or was active when a worker crashed, is heavy and parsed in a
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
  async run(context, payload, run) {
    if ('mails' in payload) {
      await ingestGroup(context, payload.mails, run.stalls);
      return;
    }
    const accepted = payload;
    const { heavyMailQueue, parsePool } = context.ingest;
    const { ingestId, raw } = accepted;
    const stalls = run.stalls + (accepted.stalls ?? 0);
    const isHeavy =
      raw.in === 'blob' || stalls > 0 || heavyMailQueue.requeued(ingestId) !== undefined;
    const light = isHeavy ? null : await ingest(context, accepted, parsePool.parseInline);
    const result =
      light && light.kind !== 'unparsed' ? light : await ingestHeavy(context, accepted, stalls > 1);
    if (result.kind === 'requeue') throw new RunLater(result.delayMs);
    if (result.kind === 'failed') throw new GiveUp(result.reason);
  },
});
