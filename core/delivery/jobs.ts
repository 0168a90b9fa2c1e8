/** The contracts of the jobs of deliveries. */
import * as z from 'zod';
import { ENDLESS, type JobContract, untilDone } from '../queue/job-contract.ts';

const HOUR_S = 3600;

const deliveryJobPayload = z.object({
  deliveryId: z.string(),
  webhookId: z.string(),
  messageId: z.string(),
  /** Number of the attempt that the job was added for. */
  attempt: z.number().int(),
  /** Absent in jobs of earlier versions, which count against no quota. */
  workspaceId: z.string().optional(),
});

/**
 * Makes an attempt of one delivery when it is due. The payload contains only ids, because Bull
 * Board shows it.
 */
export const deliveryJob: JobContract<z.infer<typeof deliveryJobPayload>> = {
  name: 'deliver-webhook',
  payload: deliveryJobPayload,
  options: {
    attempts: ENDLESS,
    backoff: { type: 'scheduled' },
    removeOnComplete: { age: HOUR_S, count: 1000 },
    removeOnFail: { age: 24 * HOUR_S, count: 5000 },
    stackTraceLimit: 1,
  },
};

const recoveryJobPayload = z.object({
  webhookId: z.string(),
  mailboxId: z.string(),
  /** Milliseconds since 1970. */
  since: z.number().int(),
  askedAt: z.number().int(),
  after: z.string(),
  released: z.number().int(),
});

/** Makes the held and abandoned deliveries of a webhook pending, in batches. */
export const recoveryJob: JobContract<z.infer<typeof recoveryJobPayload>> = {
  name: 'recover-deliveries',
  payload: recoveryJobPayload,
  options: untilDone, // accepted with 202, and no sweep would add the job again
};
