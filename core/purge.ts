/** Removal of what is expired or deleted, in batches short enough to let other writers through. */
import { removeDeliveries } from '../db/deliveries.js';
import { deletedMailboxes, removeMailbox } from '../db/mailboxes.js';
import { type Removed, removeExpired, removeMessagesOf } from '../db/remove-mails.js';
import { type Body, type Db, step } from '../db/store.js';
import { removeWebhooksOf } from '../db/webhooks.js';
import type { Context } from './context.js';
import { discardBlobs } from './discard-blobs.js';
import { firstId } from './ids.js';
import { LONG_PAUSE, inPacedBatches, timed } from './paced-batches.js';

const MAILBOXES_A_RUN = 100;

/** How long the log of deliveries goes back. */
const DELIVERIES_KEPT_MS = 7 * 86_400_000;

/** Removes every mail past its expiry; resolves to how many there were. */
export async function purgeExpired(context: Context): Promise<number> {
  return inBatches(context, (tx, limit) => removeExpired(tx, new Date(context.now()), limit));
}

/** Removes a deleted mailbox's messages, then its row. */
export async function purgeDeletedMailbox(context: Context, mailboxId: string): Promise<void> {
  // Nobody sees them any more, and there may be very many.
  await inBatches(
    context,
    (tx, limit) => removeMessagesOf(tx, mailboxId, new Date(context.now()), limit),
    LONG_PAUSE,
  );
  await context.store.transaction(function* (tx) {
    yield* step(removeWebhooksOf(tx, mailboxId));
    return yield* step(removeMailbox(tx, mailboxId));
  });
}

/** Purges deleted mailboxes whose own job was lost. */
export async function purgeDeletedMailboxes(context: Context): Promise<void> {
  for (const { id } of await context.store.ask(deletedMailboxes, MAILBOXES_A_RUN)) {
    await purgeDeletedMailbox(context, id);
  }
}

/** Forgets the deliveries of long ago with their attempts. */
export async function purgeDeliveries(context: Context): Promise<void> {
  const before = firstId('delivery', context.now() - DELIVERIES_KEPT_MS);
  await inPacedBatches((limit) =>
    context.store.transaction((tx) => timed(removeDeliveries(tx, before, limit))),
  );
}

/** Gives the space of what was removed back to the file system. */
export async function releaseSpace({ store }: Context): Promise<void> {
  await inPacedBatches((pages) => store.releaseSpace(pages));
}

function inBatches(
  context: Context,
  remove: (tx: Db, limit: number) => Body<Removed>,
  pause?: number,
): Promise<number> {
  return inPacedBatches(async (limit) => {
    const batch = await context.store.transaction((tx) => timed(remove(tx, limit)));
    await discardBlobs(context, batch.blobKeys);
    return batch;
  }, pause);
}
