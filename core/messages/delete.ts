import { messagesOfMail } from '../../db/statements/messages.js';
import { removeMailFrom, removeMessage } from '../../db/statements/remove-mails.js';
import { step } from '../../db/store.js';
import { transactionAs } from '../auth/transaction-as.js';
import type { Context } from '../context.js';
import { discardBlobs } from '../blobs/discard.js';
import { lookUpMailbox } from '../mailboxes/mailboxes.js';
import { lookUpMessage } from './resolve-id.js';
import type { Caller } from '../auth/caller.js';

/**
 * Deletes a message, and its mail with the last message that shows it. By the id of a sent mail, all that
 * the mailbox got of the mail goes. That message or mailbox is not there is no failure.
 * @throws {AppError} `unauthorized`, `unavailable`.
 */
export async function deleteMessage(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<void> {
  const mailbox = await lookUpMailbox(context, caller.workspace, mailboxName);
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
    context.events.publisher.publish(caller.workspace.id, {
      type: 'message.deleted',
      mailbox: mailbox.name,
      mailboxId: mailbox.id,
      messageId,
    });
  }
  await discardBlobs(context, blobKeys);
}
