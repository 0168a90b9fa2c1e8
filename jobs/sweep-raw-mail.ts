import { ingestMessage } from './ingest-message.js';
import { defineScheduledJob } from './job.js';

/** How long raw bytes may wait without anybody asking whether their job exists. */
const GRACE_MS = 60 * 60_000;

/**
 * Forgets raw bytes that no job refers to: those of a mail whose job could not be added, and which the
 * client was therefore told to send again.
 */
export const sweepRawMail = defineScheduledJob({
  name: 'sweep-raw-mail',
  every: 10 * 60_000,
  async run(context) {
    for await (const ids of context.rawMail.waitingSince(context.now() - GRACE_MS)) {
      for (const id of ids) {
        if (await context.queues.has(ingestMessage, id)) continue;
        await context.rawMail.settle(id);
        context.metrics.jobs.repairs.inc({ sweep: 'raw_mail' });
      }
    }
  },
});
