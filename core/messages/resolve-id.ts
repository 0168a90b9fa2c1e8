/**
 * Resolves a message id in a mailbox, usually to the message with that id. A send returns the id of
 * the message of its first recipient. In the mailbox of another recipient, this id resolves to the
 * first message of the same mail. In the mailbox of the first recipient it resolves only to its own
 * message, so that deleting it twice does not delete two messages.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { type MessageAndMail, messageById, messageOfMail } from '../../db/statements/messages.ts';
import { recipientOf } from '../addresses.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { sharedMailId } from '../ids.ts';

/** The message for an id, or undefined if there is none or it has expired. */
export async function findMessage(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<MessageAndMail | undefined> {
  const place = { mailboxId: mailbox.id, now: new Date(context.now()) };
  const [own] = await context.store.execute(messageById, { ...place, id });
  if (own) return own;
  const [shared] = await context.store.execute(messageOfMail, {
    ...place,
    mailId: sharedMailId(id),
  });
  return shared && !isFirstRecipient(mailbox, shared) ? shared : undefined;
}

/** @throws {AppError} `not_found` if the message does not exist in the mailbox. */
export async function requireMessage(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<MessageAndMail> {
  const found = await findMessage(context, mailbox, id);
  if (found) return found;
  throw new AppError('not_found', `No such message: "${id.slice(0, 64)}".`);
}

function isFirstRecipient(mailbox: MailboxRow, { mail }: MessageAndMail): boolean {
  const [address = ''] = mail.to;
  const at = address.lastIndexOf('@'); // a quoted local part can contain other @ characters
  return recipientOf(address.slice(0, at), address.slice(at + 1)).name === mailbox.name;
}
