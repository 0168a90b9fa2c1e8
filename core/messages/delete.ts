import { messagesOfMail } from '../../db/statements/messages.ts';
import { removeMailFrom, removeMessage } from '../../db/statements/remove-mails.ts';
import { step } from '../../db/store.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { discardBlobs } from '../blobs/discard.ts';
import { eventOf } from '../mailboxes/event-of.ts';
import { lookUpMailbox } from '../mailboxes/mailboxes.ts';
import { lookUpMessage } from './resolve-id.ts';
import type { Caller } from '../auth/caller.ts';

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
