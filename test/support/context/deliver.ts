import type { Context } from '../../../core/context.ts';
import type { AcceptedMail } from '../../../core/intake/accepted-mail.ts';
import { acceptMail } from './accept.ts';
import { ingestNow } from './ingest.ts';

/** Accepts raw mail and stores it, as the SMTP process and the worker do. */
export async function deliverMail(
  context: Context,
  recipients: string[],
  raw: Buffer | string,
  receivedAt?: number,
): Promise<AcceptedMail> {
  const mail = await acceptMail(context, recipients, raw, receivedAt);
  await ingestNow(context, mail);
  return mail;
}
