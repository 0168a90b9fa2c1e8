/**
 * The payload of an ingest job: the envelope and the location of the raw bytes, of one mail or of
 * several. It never contains the mail itself, because Bull Board shows job data.
 */
import * as z from 'zod';
import { newId } from '../ids.ts';

/**
 * Between the id of a job and the place of a mail in it. The id of the job is part of the ingest id
 * of each of its mails, so that the job of a mail is known without a further record in Redis.
 */
const SEPARATOR = '-';

/** A message to store: a distinct (mailbox, tag) among the recipients of the mail. */
const messageToStore = z.object({
  id: z.string(),
  mailboxId: z.string(),
  /** The envelope recipient in the sender's spelling. */
  recipient: z.string(),
  tag: z.string().nullable(),
  /** All envelope recipients of a caught message; absent if the message is not caught. */
  envelopeTo: z.array(z.string()).optional(),
});

export const acceptedMail = z.object({
  ingestId: z.string(),
  mailId: z.string(),
  /** Time of the final dot in milliseconds since 1970. */
  receivedAt: z.number().int(),
  /** MAIL FROM; empty for the null sender. */
  sender: z.string(),
  size: z.number().int(),
  messages: z.array(messageToStore).min(1),
  /** Load by workspace id (load.ts); absent in mail that an older version accepted. */
  loads: z.record(z.string(), z.number()).optional(),
  raw: z.discriminatedUnion('in', [
    z.object({ in: z.literal('redis') }),
    z.object({ in: z.literal('blob'), key: z.string() }),
  ]),
  /** Number of workers that died with the group that the mail has left; absent if none. */
  stalls: z.number().int().optional(),
});

/** Mails in Redis that share a job (intake.ts). */
export const mailGroup = z.object({ mails: z.array(acceptedMail).min(2) });

export type AcceptedMail = z.infer<typeof acceptedMail>;
export type MailGroup = z.infer<typeof mailGroup>;
export type MessageToStore = z.infer<typeof messageToStore>;

/**
 * Bytes of Redis that a mail takes beside its raw bytes. Measured: 1,170 bytes of keys and job
 * fields, which mails of a group share, and 105 for each message without its addresses.
 */
export function jobBytesOf(messages: readonly MessageToStore[]): number {
  let bytes = 1170;
  for (const { recipient, tag, envelopeTo = [] } of messages) {
    bytes += 105 + recipient.length + (tag?.length ?? 0);
    for (const address of envelopeTo) bytes += address.length + 3;
  }
  return bytes;
}

/** @param at time in ms since 1970 that the id sorts by. */
export function newGroupId(at: number): string {
  return newId('ingest', at);
}

/** The ingest id of the mail at this place of a group. */
export function memberId(groupId: string, index: number): string {
  return `${groupId}${SEPARATOR}${index}`;
}

/** The id of the job that a mail was accepted with; its own ingest id if it was alone. */
export function firstJobId(ingestId: string): string {
  return ingestId.split(SEPARATOR, 1)[0] ?? ingestId;
}
