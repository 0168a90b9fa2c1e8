import * as z from 'zod';
import { ENDLESS, type JobContract } from '../queue/job-contract.ts';

const recoveryJobPayload = z.object({
  webhookId: z.string(),
  mailboxId: z.string(),
  /** Milliseconds since 1970. */
  since: z.number().int(),
  askedAt: z.number().int(),
  after: z.string(),
  released: z.number().int(),
});

/** Releases the held and abandoned deliveries of a webhook, in batches. */
export const recoveryJob: JobContract<z.infer<typeof recoveryJobPayload>> = {
  name: 'recover-deliveries',
  payload: recoveryJobPayload,
  options: {
    // The request was accepted with 202, and no sweep would add the job again.
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
};
