/** The text of a message for people and programs that do not read HTML. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { readVisibleText } from '../text/visible-text.ts';
import { requireMessage } from './resolve-id.ts';

/**
 * The text part as it was sent; of a mail whose text part is missing or blank, the HTML as a reader
 * sees it. Empty for a mail without text.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export async function messageText(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<string> {
  const { text, html } = (await requireMessage(context, mailbox, id)).mail;
  if (html === null || (text !== null && /\S/.test(text))) return text ?? '';
  return readVisibleText(html);
}
