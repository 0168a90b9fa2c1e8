/**
 * Resolves a message id in a mailbox, as a rule to the message with that id. A send returns the id of the message of
 * its first recipient. In the mailbox of another recipient this id resolves to the first message of the same mail. In
 * the mailbox of the first recipient it resolves to its own message alone, since deleting it twice must not delete
 * two messages.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.js';
import { type MessageAndMail, messageById, messageOfMail } from '../../db/statements/messages.js';
import { recipientOf } from '../addresses.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { sharedMailId } from '../ids.js';

/** The message of an id, or undefined when there is none or it has expired. */
export async function lookUpMessage(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<MessageAndMail | undefined> {
  const place = { mailboxId: mailbox.id, now: new Date(context.now()) };
  const [own] = await context.store.read(messageById, { ...place, id });
  if (own) return own;
  const [shared] = await context.store.read(messageOfMail, { ...place, mailId: sharedMailId(id) });
  return shared && !isFirstRecipient(mailbox, shared) ? shared : undefined;
}

/** @throws {AppError} `not_found` when the mailbox shows no such message. */
export async function requireMessage(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<MessageAndMail> {
  const found = await lookUpMessage(context, mailbox, id);
  if (found) return found;
  throw new AppError('not_found', `There is no message "${id.slice(0, 64)}" in this mailbox.`);
}

function isFirstRecipient(mailbox: MailboxRow, { mail }: MessageAndMail): boolean {
  const [address = ''] = mail.to;
  const at = address.lastIndexOf('@'); // a quoted local part may contain others
  return recipientOf(address.slice(0, at), address.slice(at + 1)).name === mailbox.name;
}
