import type { Context } from '../../../core/context.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { ingestMessage } from '../../../jobs/ingest-message.ts';
import { acceptMail } from './accept.ts';

/** Accepts raw mail and stores it, as the SMTP process and the worker do. */
export async function deliverMail(
  context: Context,
  recipients: string[],
  raw: Buffer | string,
  receivedAt?: number,
): Promise<AcceptedMail> {
  const mail = await acceptMail(context, recipients, raw, receivedAt);
  await ingestMessage.run(context, mail, { jobId: mail.ingestId, start: 1, stalls: 0 });
  return mail;
}
