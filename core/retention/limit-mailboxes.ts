/** Removes messages that are too old or too many for their mailbox. */
import {
  type MailboxRow,
  mailboxWithMessageLimit,
  mailboxesOverMessageLimit,
} from '../../db/statements/mailboxes.ts';
import { expiredMessagesOf, messagesBeyond } from '../../db/statements/messages.ts';
import { removeExpiredById, removeMessagesById } from '../../db/statements/remove-mails.ts';
import { discardBlobs } from '../blobs/discard.ts';
import type { Context } from '../context.ts';
import { eventOf } from '../events/event.ts';

/** Mailboxes that one statement looks at: some milliseconds, if few are over their limits. */
const MAILBOXES_A_READ = 1000;
const MESSAGES_A_BATCH = 100;
/** Sorts after each id. */
const LAST_ID = '~';

type Limited = Pick<MailboxRow, 'id' | 'name' | 'workspaceId' | 'labels'>;

/** Resolves to the number of removed messages. */
export async function removeOverMessageLimits(context: Context): Promise<number> {
  const { store } = context;
  let removed = 0;
  let after = '';
  for (;;) {
    const now = new Date(context.now());
    const [end] = await store.query(mailboxWithMessageLimit, after, MAILBOXES_A_READ - 1);
    const until = end?.id ?? LAST_ID;
    for (const mailbox of await store.query(mailboxesOverMessageLimit, after, until, now)) {
      if (mailbox.messagesExpireIn !== null) removed += await removeExpired(context, mailbox);
      if (mailbox.maxMessages !== null) {
        removed += await removeBeyond(context, mailbox, mailbox.maxMessages);
      }
    }
    if (!end) return removed;
    after = end.id;
  }
}

/** Expired messages are invisible already, so they are not reported. */
async function removeExpired(context: Context, { id }: Limited): Promise<number> {
  let total = 0;
  for (;;) {
    const now = new Date(context.now());
    const found = await context.store.query(expiredMessagesOf, id, now, MESSAGES_A_BATCH);
    if (found.length > 0) {
      const ids = found.map((message) => message.id);
      const { blobKeys } = await context.store.transaction((tx) => removeExpiredById(tx, ids, now));
      await discardBlobs(context, blobKeys);
    }
    total += found.length;
    if (found.length < MESSAGES_A_BATCH) return total;
  }
}

async function removeBeyond(context: Context, mailbox: Limited, kept: number): Promise<number> {
  let total = 0;
  for (;;) {
    const now = new Date(context.now());
    const found = await context.store.query(messagesBeyond, mailbox.id, {
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
