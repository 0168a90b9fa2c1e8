import { defineScheduledJob } from '../core/queue/job.js';
import { ingestJob } from '../core/ingest/ingest-job.js';
import { indexMailsJob } from '../core/retention/schedule.js';
import { indexMails } from '../core/search/index-mails.js';

/** Ingest jobs that may wait while mails are indexed. */
const MAX_WAITING = 10;

/** Adds stored mails to the search index, while no accepted mail waits to be stored. */
export const indexStoredMails = defineScheduledJob(indexMailsJob, async (context) => {
  if (!context.config.searchIndex) return;
  await indexMails(context, async () => {
    const queue = await context.queues.open(ingestJob);
    return (await queue.getWaitingCount()) > MAX_WAITING;
  });
});
