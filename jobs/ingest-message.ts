import { type AcceptedMail, acceptedMail } from '../core/ingest.js';
import { parseMail } from '../core/mail.js';
import { storeMail } from '../core/store-mail.js';
import { ENDLESS, cappedBackoff, defineJob } from './job.js';

/**
 * Accepted mail into the database. It has no final failure: what was answered with 250 is tried until it
 * is stored. Repeats are harmless, since a mail is stored once for its ingest id.
 */
export const ingestMessage = defineJob<AcceptedMail>({
  name: 'ingest-message',
  payload: acceptedMail,
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
  worker: {
    concurrency: ({ config }) => config.worker.concurrency,
    lockDuration: 10_000,
    stalledInterval: 3_000,
    maxStalledCount: ENDLESS,
  },
  backoff: cappedBackoff(30_000),
  async run(context, accepted) {
    const raw = await context.rawMail.get(accepted.ingestId, accepted.raw);
    if (!raw) {
      context.log.error('raw_missing: accepted mail without its bytes', {
        ingestId: accepted.ingestId,
      });
      throw new Error('raw_missing');
    }
    const outcome = await storeMail(context, accepted, await parseMail(raw), raw);
    await context.rawMail.settle(accepted.ingestId);
    context.log.debug('mail ingested', {
      ingestId: accepted.ingestId,
      mailId: accepted.mailId,
      outcome,
    });
  },
});
