/**
 * Which message an id stands for in a mailbox: as a rule the one that bears it. The id that a send answers
 * with is its first recipient's message's and leads to the mail in the other recipients' mailboxes too,
 * where it shows the first of the mail's messages. In the first recipient's own mailbox it never stands
 * for another message, or deleting it twice would delete two.
 */
import type { MailboxRow } from '../db/mailboxes.js';
import { type MessageAndMail, messageById, messageOfMail } from '../db/messages.js';
import { recipientOf } from './addresses.js';
import type { Context } from './context.js';
import { AppError } from './errors.js';
import { sharedMailId } from './ids.js';

/** The message that an id stands for, unless there is none or it has expired. */
export async function lookUpMessage(
  context: Context,
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
  context: Context,
  mailbox: MailboxRow,
  id: string,
): Promise<MessageAndMail> {
  const found = await lookUpMessage(context, mailbox, id);
  if (found) return found;
  throw new AppError('not_found', `There is no message "${id.slice(0, 64)}" in this mailbox.`);
}

function isFirstRecipient(mailbox: MailboxRow, { mail }: MessageAndMail): boolean {
  const [localPart = '', domain = ''] = mail.to[0]?.split('@') ?? [];
  return recipientOf(localPart, domain).name === mailbox.name;
}
