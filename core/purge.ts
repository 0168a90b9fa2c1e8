/** Removal of what is expired or deleted, in batches short enough to let other writers through. */
import { type Removed, removeExpired, removeMessagesOf } from '../db/mails.js';
import { deletedMailboxes, removeMailbox } from '../db/mailboxes.js';
import { step } from '../db/store.js';
import { removeWebhooksOf } from '../db/webhooks.js';
import type { Context } from './context.js';
import { discardBlobs } from './discard-blobs.js';

const BATCH = 500;
const MAILBOXES_A_RUN = 100;

/** Removes every mail past its expiry; resolves to how many there were. */
export async function purgeExpired(context: Context): Promise<number> {
  return inBatches(context, () =>
    context.store.transaction((tx) => removeExpired(tx, new Date(context.now()), BATCH)),
  );
}

/** Removes a deleted mailbox's messages, then its row. */
export async function purgeDeletedMailbox(context: Context, mailboxId: string): Promise<void> {
  await inBatches(context, () =>
    context.store.transaction((tx) => removeMessagesOf(tx, mailboxId, BATCH)),
  );
  await context.store.transaction(function* (tx) {
    yield* step(removeWebhooksOf(tx, mailboxId));
    return yield* step(removeMailbox(tx, mailboxId));
  });
}

/** Purges deleted mailboxes whose own job was lost. */
export async function purgeDeletedMailboxes(context: Context): Promise<void> {
  for (const { id } of await deletedMailboxes(context.store.db, MAILBOXES_A_RUN)) {
    await purgeDeletedMailbox(context, id);
  }
}

async function inBatches(context: Context, remove: () => Promise<Removed>): Promise<number> {
  let total = 0;
  for (;;) {
    const { count, blobKeys } = await remove();
    total += count;
    await discardBlobs(context, blobKeys);
    if (count < BATCH) return total;
  }
}
