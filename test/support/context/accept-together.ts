/** The intake of the SMTP process over a test's context, and mails for it. */
import type { Context } from '../../../core/context.ts';
import { newId } from '../../../core/ids.ts';
import {
  type IntakeServices,
  type MailIntake,
  type ReceivedMail,
  openMailIntake,
} from '../../../core/intake/intake.ts';

const inTime = () => false;

export function openTestIntake(context: Context, parts: Partial<IntakeServices> = {}): MailIntake {
  const replication = {
    isRequired: false,
    reached: async () => undefined,
    close: async () => undefined,
  };
  return openMailIntake({ ...context, replication, ...parts });
}

/** A mail of this many bytes for a mailbox. */
export function receivedMail(mailboxId: string, size: number): ReceivedMail {
  const at = Date.now();
  const message = { id: newId('message', at), mailboxId, recipient: 'box@one.test', tag: null };
  const sender = 'sender@elsewhere.test';
  return { mailId: newId('mail', at), receivedAt: at, sender, size, messages: [message] };
}

/**
 * Adds one mail, and the others while that one is being written, so that they share a job. Resolves
 * to the ingest ids of the others.
 */
export async function acceptTogether(
  intake: MailIntake,
  mailboxId: string,
  raws: string[],
): Promise<string[]> {
  const [, ...ids] = await Promise.all(
    ['Subject: alone\r\n\r\nx', ...raws].map((raw) => {
      const bytes = Buffer.from(raw);
      return intake.add(receivedMail(mailboxId, bytes.length), [bytes], inTime);
    }),
  );
  return ids;
}
