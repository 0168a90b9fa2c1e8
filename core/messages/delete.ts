import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { messagesAmong, messagesOfMail } from '../../db/statements/messages.ts';
import {
  removeMailFrom,
  removeMessage,
  removeMessagesById,
} from '../../db/statements/remove-mails.ts';
import { query } from '../../db/store.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { discardBlobs } from '../blobs/discard.ts';
import { eventOf } from '../events/event.ts';
import { findMailbox, requireMailbox } from '../mailboxes/mailboxes.ts';
import { findMessage } from './resolve-id.ts';
import type { Caller } from '../auth/caller.ts';
import { readMark } from './mark.ts';
import { type PagedMessage, pageOf } from './messages.ts';
import { recipientFilter } from './recipient-filter.ts';

/** Messages of a mailbox deleted by one transaction. */
const BATCH = 500;

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
  const mailbox = await findMailbox(context, caller, mailboxName);
  const found = mailbox && (await findMessage(context, mailbox, id));
  if (!found) return;
  const { message, mail } = found;
  const now = new Date(context.now());
  const { blobKeys, ids } = await transactionAs(context, caller, function* (tx) {
    if (message.id === id) return { ...(yield* removeMessage(tx, id, now)), ids: [id] };
    const shown = yield* query(messagesOfMail(tx, mailbox.id, mail.id));
    const removed = yield* removeMailFrom(tx, mailbox.id, mail.id, now);
    return { ...removed, ids: shown.map((row) => row.id) };
  });
  for (const messageId of ids) {
    const event = eventOf('message.deleted', mailbox, { messageId });
    context.events.publisher.publish(caller.workspace.id, event);
  }
  await discardBlobs(context, blobKeys);
}

/**
 * Deletes those of these messages that are in the mailbox and have at most the number `upTo`.
 * @throws {AppError} `unauthorized`, `unavailable`; batches before a failure stay deleted.
 */
export async function deleteMessages(
  context: Context,
  caller: Caller,
  mailbox: MailboxRow,
  ids: string[],
  upTo?: number,
): Promise<void> {
  for (let at = 0; at < ids.length; at += BATCH) {
    const now = new Date(context.now());
    const { removed, shown } = await transactionAs(context, caller, function* (tx) {
      const found = yield* query(messagesAmong(tx, mailbox.id, ids.slice(at, at + BATCH), upTo));
      const own = found.map(({ id }) => id);
      return { removed: yield* removeMessagesById(tx, own, now), shown: own };
    });
    for (const messageId of shown) {
      const event = eventOf('message.deleted', mailbox, { messageId });
      context.events.publisher.publish(caller.workspace.id, event);
    }
    await discardBlobs(context, removed.blobKeys);
  }
}

/**
 * Deletes all messages of a mailbox, or those with one envelope recipient, or those that are not
 * after a mark. Mail that is stored meanwhile is kept. Returns the number of deleted messages.
 * @throws {AppError} `not_found` for the mailbox, `invalid_request` and `invalid_mark` for the
 *   mark, `unauthorized`, `unavailable`; batches before a failure stay deleted.
 */
export async function clearMailbox(
  context: Context,
  caller: Caller,
  mailboxName: string,
  { to, before }: { to?: string; before?: string } = {},
): Promise<number> {
  const { workspace } = caller;
  const mailbox = await requireMailbox(context, caller, mailboxName);
  const upTo =
    before === undefined ? undefined : await readMark(context, mailbox, before, 'before');
  const filter = to === undefined ? {} : { to: recipientFilter(workspace, mailbox, to) };
  let deleted = 0;
  try {
    // The cursor moves to older messages, so it does not reach mail that arrives meanwhile.
    let rows: PagedMessage[] = [];
    do {
      const last = rows.at(-1);
      rows = await pageOf(context, mailbox, {
        limit: BATCH,
        ...filter,
        ...(last && { after: last }),
      });
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) {
        const now = new Date(context.now());
        const removed = await transactionAs(context, caller, (tx) =>
          removeMessagesById(tx, ids, now, upTo),
        );
        deleted += removed.count;
        await discardBlobs(context, removed.blobKeys);
      }
    } while (rows.length === BATCH);
  } finally {
    if (deleted > 0) {
      context.events.publisher.publish(workspace.id, eventOf('mailbox.cleared', mailbox));
    }
  }
  return deleted;
}
