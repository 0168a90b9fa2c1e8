import { ENDLESS, type JobContract } from '../queue/job-contract.js';
import { type AcceptedMail, acceptedMail } from './accepted-mail.js';

/** Stores an accepted mail. It has no final failure: a mail that was answered with 250 must not be dropped. */
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
