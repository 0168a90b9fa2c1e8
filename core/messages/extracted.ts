/** The code and the links of a stored message. */
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { extract } from '../extraction/extract.js';
import type { Extraction } from '../extraction/types.js';
import type { MessageAndMail } from '../../db/statements/messages.js';
import { sourceOf } from './files.js';
import { headersOf } from './headers.js';
import type { HeaderField } from './read-header.js';

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

/** None if the raw mail is missing, so that a lost blob does not hide the code. */
async function storedHeaders(
  context: Pick<Context, 'store' | 'blobs' | 'log'>,
  shown: MessageAndMail,
): Promise<HeaderField[]> {
  try {
    return await headersOf(context, await sourceOf(context, shown));
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return [];
    throw error;
  }
}

function valueOf(headers: HeaderField[], field: string): string | null {
  return headers.find(({ name }) => name.toLowerCase() === field)?.value ?? null;
}
