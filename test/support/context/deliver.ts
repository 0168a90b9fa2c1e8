import type { Context } from '../../../core/context.js';
import type { AcceptedMail } from '../../../core/ingest/accepted-mail.js';
import { ingestMessage } from '../../../jobs/ingest-message.js';
import { acceptMail } from './accept.js';

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
