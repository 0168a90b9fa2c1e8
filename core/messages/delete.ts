import { messagesOfMail } from '../../db/statements/messages.js';
import { removeMailFrom, removeMessage } from '../../db/statements/remove-mails.js';
import { step } from '../../db/store.js';
import { transactionAs } from '../auth/transaction-as.js';
import type { Context } from '../context.js';
import { discardBlobs } from '../blobs/discard.js';
import { eventOf } from '../mailboxes/event-of.js';
import { lookUpMailbox } from '../mailboxes/mailboxes.js';
import { lookUpMessage } from './resolve-id.js';
import type { Caller } from '../auth/caller.js';

/**
 * Deletes a message, and its mail after the last message of it. The id of a sent mail deletes all
 * messages of that mail in the mailbox. A missing message or mailbox is not an error.
 * @throws {AppError} `unauthorized`, `unavailable`.
 */
export async function deleteMessage(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<void> {
  const mailbox = await lookUpMailbox(context, caller, mailboxName);
  const found = mailbox && (await lookUpMessage(context, mailbox, id));
  if (!found) return;
  const { message, mail } = found;
  const now = new Date(context.now());
  const { blobKeys, ids } = await transactionAs(context, caller, function* (tx) {
    if (message.id === id) return { ...(yield* removeMessage(tx, id, now)), ids: [id] };
    const shown = yield* step(messagesOfMail(tx, mailbox.id, mail.id));
    const removed = yield* removeMailFrom(tx, mailbox.id, mail.id, now);
    return { ...removed, ids: shown.map((row) => row.id) };
  });
  for (const messageId of ids) {
    const event = eventOf('message.deleted', mailbox, { messageId });
    context.events.publisher.publish(caller.workspace.id, event);
  }
  await discardBlobs(context, blobKeys);
}
