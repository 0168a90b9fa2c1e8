import * as z from 'zod';
import { ENDLESS, type JobContract } from '../queue/job-contract.ts';
import { type AcceptedMail, type MailGroup, acceptedMail, mailGroup } from './accepted-mail.ts';

/**
 * Stores accepted mail: one, or several that were written to Redis together. The job is retried
 * without limit: mail accepted with 250 must not be lost.
 */
export const ingestJob: JobContract<AcceptedMail | MailGroup> = {
  name: 'ingest-message',
  payload: z.union([mailGroup, acceptedMail]),
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
};
