/** The code and the links of a stored message. */
import type { Context } from '../context.ts';
import { extract } from '../extraction/extract.ts';
import type { Extraction } from '../extraction/types.ts';
import type { MessageAndMail } from '../../db/statements/messages.ts';
import { storedHeaders } from './headers.ts';
import type { HeaderField } from './read-header.ts';

export async function extractedFrom(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  shown: MessageAndMail,
): Promise<Extraction> {
  const { subject, text, html, fromAddress } = shown.mail;
  const headers = await storedHeaders(context, shown);
  return extract({
    subject,
    text,
    html,
    from: fromAddress,
    listUnsubscribe: valueOf(headers, 'list-unsubscribe'),
    listUnsubscribePost: valueOf(headers, 'list-unsubscribe-post'),
  });
}

function valueOf(headers: HeaderField[], field: string): string | null {
  return headers.find(({ name }) => name.toLowerCase() === field)?.value ?? null;
}
