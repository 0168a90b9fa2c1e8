import { defineScheduledJob } from '../core/queue/job.js';
import { ingestJob } from '../core/ingest/ingest-job.js';
import { indexMailsJob } from '../core/retention/schedule.js';
import { indexMails } from '../core/search/index-mails.js';

/** Ingest jobs that may wait while mails are indexed. */
const MAX_WAITING = 10;
/** While mail arrives, the index is at least this far behind, so that intake has the processor. */
const DELAY_MS = 20_000;

/** Adds stored mails to the search index, while no accepted mail waits to be stored. */
export const indexStoredMails = defineScheduledJob(indexMailsJob, async (context) => {
  if (!context.config.searchIndex) return;
  await indexMails(context, async (oldest) => {
    const queue = await context.queues.open(ingestJob);
    const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active');
    const isNew = context.now() - oldest < DELAY_MS;
    return waiting > MAX_WAITING || (isNew && waiting + active > 0);
  });
});
