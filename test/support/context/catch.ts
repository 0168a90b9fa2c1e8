import type { Context } from '../../../core/context.ts';
import { newId } from '../../../core/ids.ts';
import { messagesFor } from '../../../core/intake/accepted-mail.ts';
import { ingestNow } from './ingest.ts';

/** Stores a caught mail as the SMTP process and the worker do. Returns its message ids. */
export async function catchMail(
  context: Context,
  mailboxId: string,
  to: { caught: string[]; addressed?: [address: string, tag: string | null][]; from?: string },
  raw = 'Subject: caught\r\n\r\nx',
  receivedAt = context.now(),
): Promise<string[]> {
  const bytes = Buffer.from(raw);
  const ingestId = newId('ingest', receivedAt);
  const recipients = [
    ...to.caught.map((recipient) => ({ mailboxId, recipient, tag: null, isCaught: true })),
    ...(to.addressed ?? []).map(([recipient, tag]) => ({ mailboxId, recipient, tag })),
  ];
  const messages = messagesFor(recipients, receivedAt);
  const mail = {
    ingestId,
    mailId: newId('mail', receivedAt),
    receivedAt,
    sender: to.from ?? 'app@client.example',
    size: bytes.length,
    messages,
    raw: { in: 'redis' as const },
  };
  await context.mailSpool.put([{ ingestId, chunks: [bytes], size: bytes.length }]);
  await ingestNow(context, mail);
  return messages.map(({ id }) => id);
}
