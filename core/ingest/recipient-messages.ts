/** One message for each distinct mailbox and tag among the recipients of a mail. */
import { comparableAddress } from '../addresses.js';
import { newId } from '../ids.js';
import type { MessageToStore } from './accepted-mail.js';

/** A recipient whose mailbox is known. */
export interface MailRecipient extends Omit<MessageToStore, 'id' | 'envelopeTo'> {
  /** Whether the address is another than the mailbox's, which catches its mail. */
  isCaught?: boolean;
}

/**
 * Messages in the order of the recipients. Of several recipients with the same mailbox and tag the first that was
 * addressed to the mailbox is kept, else the first, with its address as the sender wrote it. A message that a caught
 * recipient leads to lists all its recipients once.
 * @param at time in ms since 1970 that the ids sort by
 * @param firstId id of the first message; a new one when left out
 */
export function messagesFor(
  recipients: readonly MailRecipient[],
  at: number,
  firstId = newId('message', at),
): MessageToStore[] {
  const groups = new Map<string, MailRecipient[]>();
  for (const recipient of recipients) {
    const key = `${recipient.mailboxId} ${recipient.tag ?? ''}`;
    const group = groups.get(key);
    if (group) group.push(recipient);
    else groups.set(key, [recipient]);
  }
  return [...groups.values()].map((group, index) => ({
    id: index === 0 ? firstId : newId('message', at),
    ...messageOf(group),
  }));
}

function messageOf(group: MailRecipient[]): Omit<MessageToStore, 'id'> {
  const kept = group.find(({ isCaught }) => !isCaught) ?? group[0];
  if (!kept) throw new RangeError('a group of recipients has at least one');
  const { mailboxId, recipient, tag } = kept;
  const message = { mailboxId, recipient, tag };
  if (!group.some(({ isCaught }) => isCaught)) return message;
  const distinct = new Map<string, string>();
  for (const { recipient: address } of group) {
    const key = comparableAddress(address);
    if (!distinct.has(key)) distinct.set(key, address);
  }
  return { ...message, envelopeTo: [...distinct.values()] };
}
