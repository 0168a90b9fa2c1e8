/**
 * Resolves a message id in a mailbox, usually to the message with that id. A send returns the id of
 * the message of its first recipient. In the mailbox of another recipient, this id resolves to the
 * first message of the same mail. In the mailbox of the first recipient it resolves only to its own
 * message, so that deleting it twice does not delete two messages.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import {
  type MessageAndMail,
  type MessageSummary,
  mailBodies,
  messageOfMail,
  messageSummaryById,
} from '../../db/statements/messages.ts';
import { recipientOf } from '../addresses.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { sharedMailId } from '../ids.ts';
import type { Admit } from '../limits/byte-budget.ts';

/** The message for an id without its bodies, or undefined if there is none or it has expired. */
export async function findMessage(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<MessageSummary | undefined> {
  const place = { mailboxId: mailbox.id, now: new Date(context.now()) };
  const [own] = await context.store.execute(messageSummaryById, { ...place, id });
  if (own) return own;
  const [shared] = await context.store.execute(messageOfMail, {
    ...place,
    mailId: sharedMailId(id),
  });
  return shared && !isFirstRecipient(mailbox, shared) ? shared : undefined;
}

/**
 * Without its bodies, which are not read.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export async function requireSummary(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<MessageSummary> {
  return (await findMessage(context, mailbox, id)) ?? noSuchMessage(id);
}

/**
 * With its bodies. `admit` is called before they are read: in memory, a character takes up to twice
 * its bytes.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox; that of `admit`.
 */
export async function requireMessage(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
  admit?: Admit,
): Promise<MessageAndMail> {
  const { message, mail } = await requireSummary(context, mailbox, id);
  admit?.(2 * message.bodyBytes);
  const [bodies] = await context.store.execute(mailBodies, { mailId: mail.id });
  return bodies ? { message, mail: { ...mail, ...bodies } } : noSuchMessage(id);
}

function noSuchMessage(id: string): never {
  throw new AppError('not_found', `No such message: "${id.slice(0, 64)}".`);
}

function isFirstRecipient(mailbox: MailboxRow, { mail }: MessageSummary): boolean {
  const [address = ''] = mail.to;
  const at = address.lastIndexOf('@'); // a quoted local part can contain other @ characters
  return recipientOf(address.slice(0, at), address.slice(at + 1)).name === mailbox.name;
}
