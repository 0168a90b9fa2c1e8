import { defineScheduledJob } from '../core/queue/job.ts';
import { ingestJob } from '../core/intake/ingest-job.ts';
import { schedule } from '../core/retention/schedule.ts';
import { indexMails } from '../core/search/index-mails.ts';

/** Ingest jobs that may wait while mails are indexed. */
const MAX_WAITING = 10;
/** While mail arrives, the index is at least this far behind, so that intake has the processor. */
const DELAY_MS = 20_000;

/**
 * Pauses before a batch while ingest jobs wait or run, by the age of the oldest mail. The steps of
 * an ingest job interleave with batches: with 100 mails a second, the 95th percentile from 250 to
 * the response of a wait was 35 to 48 ms without pauses, and is 23 to 30 ms. The second step allows
 * 500 mails of 20 KB a second.
 */
const PAUSES = [
  { belowMs: 25_000, pauseMs: 80 },
  { belowMs: 30_000, pauseMs: 10 },
];
/** A run with pauses ends after this time, because a worker that stops waits for its jobs. */
const MAX_PACED_MS = 5000;

/** Adds stored mails to the search index. Accepted mail that waits to be stored goes first. */
export const indexStoredMails = defineScheduledJob(schedule.indexMails, async (context) => {
  if (!context.config.searchIndex) return;
  const queue = await context.queues.open(ingestJob);
  const end = performance.now() + MAX_PACED_MS;
  await indexMails(context, async (oldest) => {
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'active');
    const { waiting: unordered = 0, prioritized = 0, active = 0 } = counts;
    const waiting = unordered + prioritized;
    if (waiting > MAX_WAITING) return null;
    if (waiting + active === 0) return 0;
    const age = context.now() - oldest;
    if (age < DELAY_MS || performance.now() > end) return null;
    return PAUSES.find(({ belowMs }) => age < belowMs)?.pauseMs ?? 0;
  });
});
