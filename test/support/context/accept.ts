import { recipientOf } from '../../../core/addresses.ts';
import type { Context } from '../../../core/context.ts';
import { newId } from '../../../core/ids.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { loadsOf } from '../../../core/intake/load.ts';
import { rawReference } from '../../../core/intake/spool.ts';

/** Accepts raw mail for mailboxes as the SMTP process does, without adding the job. */
export async function acceptMail(
  context: Context,
  recipients: string[],
  raw: Buffer | string,
  receivedAt = context.now(),
): Promise<AcceptedMail> {
  const bytes = Buffer.from(raw);
  const ingestId = newId('ingest', receivedAt);
  const found = await Promise.all(
    recipients.map(async (recipient) => {
      const at = recipient.lastIndexOf('@');
      const parsed = recipientOf(recipient.slice(0, at), recipient.slice(at + 1));
      const lookup = await context.directory.lookup(parsed);
      if (lookup.outcome !== 'mailbox') throw new Error(`${recipient} is ${lookup.outcome}`);
      const { mailboxId, workspaceId } = lookup;
      const message = { id: newId('message', receivedAt), mailboxId, recipient, tag: parsed.tag };
      return { message, workspaceId };
    }),
  );
  const messages = found.map(({ message }) => message);
  const loads = loadsOf(
    { size: bytes.length, messages },
    found.map(({ message, workspaceId }) => ({ ...message, workspaceId })),
  );
  await context.mailSpool.put([{ ingestId, chunks: [bytes], size: bytes.length, loads }]);
  return {
    ingestId,
    mailId: newId('mail', receivedAt),
    receivedAt,
    sender: 'sender@elsewhere.test',
    size: bytes.length,
    messages,
    loads,
    raw: rawReference(ingestId, bytes.length),
  };
}
