/** Removes messages that are too old or too many for their mailbox. */
import { mailboxesWithLimits, type MailboxRow } from '../../db/statements/mailboxes.ts';
import { expiredMessagesOf, messagesBeyond } from '../../db/statements/messages.ts';
import { removeExpiredById, removeMessagesById } from '../../db/statements/remove-mails.ts';
import { discardBlobs } from '../blobs/discard.ts';
import type { Context } from '../context.ts';
import { eventOf } from '../events/event.ts';

const MAILBOXES_A_READ = 500;
const MESSAGES_A_BATCH = 100;

/** Resolves to the number of removed messages. */
export async function limitMailboxes(context: Context): Promise<number> {
  let removed = 0;
  let after = '';
  for (;;) {
    const now = new Date(context.now());
    const page = await context.store.ask(mailboxesWithLimits, after, MAILBOXES_A_READ, now);
    for (const mailbox of page) {
      if (mailbox.messagesExpireIn !== null) removed += await removeExpired(context, mailbox);
      if (mailbox.maxMessages !== null) {
        removed += await removeBeyond(context, mailbox, mailbox.maxMessages);
      }
    }
    after = page.at(-1)?.id ?? '';
    if (page.length < MAILBOXES_A_READ) return removed;
  }
}

/** Expired messages are invisible already, so they are not reported. */
async function removeExpired(context: Context, { id }: MailboxRow): Promise<number> {
  let total = 0;
  for (;;) {
    const now = new Date(context.now());
    const found = await context.store.ask(expiredMessagesOf, id, now, MESSAGES_A_BATCH);
    if (found.length > 0) {
      const ids = found.map((message) => message.id);
      const { blobKeys } = await context.store.transaction((tx) => removeExpiredById(tx, ids, now));
      await discardBlobs(context, blobKeys);
    }
    total += found.length;
    if (found.length < MESSAGES_A_BATCH) return total;
  }
}

async function removeBeyond(context: Context, mailbox: MailboxRow, kept: number): Promise<number> {
  let total = 0;
  for (;;) {
    const now = new Date(context.now());
    const found = await context.store.ask(messagesBeyond, mailbox.id, {
      kept,
      now,
      limit: MESSAGES_A_BATCH,
    });
    if (found.length > 0) {
      const ids = found.map(({ id }) => id);
      const { blobKeys } = await context.store.transaction((tx) =>
        removeMessagesById(tx, ids, now),
      );
      for (const messageId of ids) {
        const event = eventOf('message.deleted', mailbox, { messageId });
        context.events.publisher.publish(mailbox.workspaceId, event);
      }
      await discardBlobs(context, blobKeys);
    }
    total += found.length;
    if (found.length < MESSAGES_A_BATCH) return total;
  }
}
