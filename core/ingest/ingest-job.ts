import { ENDLESS, type JobContract } from '../queue/job-contract.js';
import { type AcceptedMail, acceptedMail } from './accepted-mail.js';

/**
 * Stores an accepted mail. The job is retried without limit: mail accepted with 250 must not be
 * lost.
 */
export const ingestJob: JobContract<AcceptedMail> = {
  name: 'ingest-message',
  payload: acceptedMail,
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
};
