/**
 * The payload of an ingest job: the envelope and where the raw bytes are, never the mail itself, since Bull Board
 * shows job data.
 */
import { z } from 'zod';

/** One message to come: a distinct (mailbox, tag) among the mail's recipients. */
const messageToStore = z.object({
  id: z.string(),
  mailboxId: z.string(),
  /** The envelope recipient as the sender wrote it. */
  recipient: z.string(),
  tag: z.string().nullable(),
  /** Of a caught message, all envelope recipients that it shows; absent for one that was addressed to the mailbox. */
  envelopeTo: z.array(z.string()).optional(),
});

export const acceptedMail = z.object({
  ingestId: z.string(),
  mailId: z.string(),
  /** Milliseconds since 1970 at which the final dot was read. */
  receivedAt: z.number().int(),
  /** MAIL FROM; empty for the null sender. */
  sender: z.string(),
  size: z.number().int(),
  messages: z.array(messageToStore).min(1),
  raw: z.discriminatedUnion('in', [
    z.object({ in: z.literal('redis') }),
    z.object({ in: z.literal('blob'), key: z.string() }),
  ]),
});

export type AcceptedMail = z.infer<typeof acceptedMail>;
export type MessageToStore = z.infer<typeof messageToStore>;
