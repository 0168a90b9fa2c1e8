/** One message for each distinct mailbox and tag among the recipients of a mail. */
import { newId } from '../ids.js';
import type { MessageToStore } from './accepted-mail.js';

/** A recipient whose mailbox is known. */
export type MailRecipient = Omit<MessageToStore, 'id'>;

/**
 * Messages in the order of the recipients. Of several recipients with the same mailbox and tag the first is kept, with
 * its address as the sender wrote it.
 * @param at time in ms since 1970 that the ids sort by
 * @param firstId id of the first message; a new one when left out
 */
export function messagesFor(
  recipients: readonly MailRecipient[],
  at: number,
  firstId = newId('message', at),
): MessageToStore[] {
  const distinct = new Map<string, MailRecipient>();
  for (const recipient of recipients) {
    const key = `${recipient.mailboxId} ${recipient.tag ?? ''}`;
    if (!distinct.has(key)) distinct.set(key, recipient);
  }
  return [...distinct.values()].map(({ mailboxId, recipient, tag }, index) => ({
    id: index === 0 ? firstId : newId('message', at),
    mailboxId,
    recipient,
    tag,
  }));
}
