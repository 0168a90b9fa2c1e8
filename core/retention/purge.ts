/**
 * Removes expired and deleted rows in batches beside intake. On SQLite, a batch holds the write
 * lock of the database and the event loop, so its size is derived from the duration of the previous
 * one: a row can have a hundred bytes or a megabyte. During the pause between two batches, other
 * processes can write.
 */
import { removeDeliveries, removeDeliveriesTo } from '../../db/statements/deliveries.ts';
import { deletedMailboxes, removeLabelsOf, removeMailbox } from '../../db/statements/mailboxes.ts';
import {
  type RemovalResult,
  removeExpired,
  removeMessagesOf,
} from '../../db/statements/remove-mails.ts';
import { removeCredentialsOf } from '../../db/statements/smtp-credentials.ts';
import { type Transaction, type Db, query } from '../../db/store.ts';
import { removeWebhooksOf } from '../../db/statements/webhooks.ts';
import type { Context } from '../context.ts';
import { discardBlobs } from '../blobs/discard.ts';
import { firstId } from '../ids.ts';
import { runEach } from '../run-each.ts';
import { scanStarts } from '../scan-start.ts';
import { setTimeout as delay } from 'node:timers/promises';

type Removing = Pick<Context, 'log' | 'queues' | 'store'>;
type Purging = Removing & Pick<Context, 'now'>;

const MAILBOXES_A_RUN = 100;

const WEBHOOKS_A_STATEMENT = 500;

/** Retention of the delivery log. */
const DELIVERY_LOG_TTL_MS = 7 * 86_400_000;

/** A mail can have been left out by a batch that failed, or by the clock of another process. */
const FULL_SCAN_MS = 600_000;
const expiryStarts = scanStarts(new Date(0), FULL_SCAN_MS);
const logStarts = scanStarts('', FULL_SCAN_MS);

/** Removes all expired mails; resolves to their number. */
export async function purgeExpired(context: Purging): Promise<number> {
  const start = expiryStarts(context.store);
  let total = 0;
  let from = start.next();
  await inPacedBatches(context.store.batchMs, async (limit) => {
    const now = new Date(context.now());
    const batch = await removeBatch(context, (tx) => removeExpired(tx, now, limit, from));
    total += batch.mails;
    from = batch.last ?? from;
    start.set(from);
    return batch;
  });
  return total;
}

/** Removes the messages of a deleted mailbox, then its row. */
export async function purgeDeletedMailbox(context: Purging, mailboxId: string): Promise<void> {
  // The messages are already hidden, and there can be many.
  await removeInBatches(
    context,
    (tx, limit) => removeMessagesOf(tx, mailboxId, new Date(context.now()), limit),
    LONG_PAUSE_RATIO,
  );
  await context.store.transaction(function* (tx) {
    yield* query(removeLabelsOf(tx, mailboxId));
    yield* query(removeWebhooksOf(tx, mailboxId));
    yield* query(removeCredentialsOf(tx, [mailboxId]));
    return yield* query(removeMailbox(tx, mailboxId));
  });
}

/** Purges deleted mailboxes whose purge job was lost. */
export async function purgeDeletedMailboxes(context: Purging): Promise<void> {
  const deleted = await context.store.query(deletedMailboxes, MAILBOXES_A_RUN);
  await runEach(
    deleted.map(
      ({ id }) =>
        () =>
          purgeDeletedMailbox(context, id),
    ),
  );
}

/** Removes old deliveries and their attempts. */
export async function purgeDeliveries(context: Pick<Context, 'now' | 'store'>): Promise<void> {
  const start = logStarts(context.store);
  const before = firstId('delivery', context.now() - DELIVERY_LOG_TTL_MS);
  let after = start.next();
  await inPacedBatches(context.store.batchMs, async (limit) => {
    const batch = await context.store.transaction((tx) =>
      timed(removeDeliveries(tx, { after, before }, limit)),
    );
    after = batch.last ?? after;
    start.set(after);
    return batch;
  });
}

/** Removes the closed deliveries of these webhooks. */
export async function purgeDeliveriesTo(
  context: Pick<Context, 'store'>,
  webhookIds: string[],
): Promise<void> {
  for (let i = 0; i < webhookIds.length; i += WEBHOOKS_A_STATEMENT) {
    const some = webhookIds.slice(i, i + WEBHOOKS_A_STATEMENT);
    await inPacedBatches(context.store.batchMs, (limit) =>
      context.store.transaction((tx) => timed(removeDeliveriesTo(tx, some, limit))),
    );
  }
}

/** Returns free pages to the file system. */
export async function releaseSpace({ store }: Pick<Context, 'store'>): Promise<void> {
  await inPacedBatches(store.batchMs, (pages) => store.releaseSpace(pages));
}

function removeInBatches(
  context: Removing,
  remove: (tx: Db, limit: number) => Transaction<RemovalResult>,
  pause?: number,
): Promise<number> {
  const next = (limit: number) => removeBatch(context, (tx) => remove(tx, limit));
  return inPacedBatches(context.store.batchMs, next, pause);
}

/** Removes one batch, and then the blobs that nothing refers to any more. */
async function removeBatch<Result extends RemovalResult>(
  context: Removing,
  remove: (tx: Db) => Transaction<Result>,
): Promise<Result & { heldMs: number }> {
  const batch = await context.store.transaction((tx) => timed(remove(tx)));
  await discardBlobs(context, batch.blobKeys);
  return batch;
}

const FIRST_BATCH = 20;
const MIN_BATCH = 5;
const MAX_BATCH = 1000;
/** Pause relative to the duration of a batch; a waiting writer retries every few milliseconds. */
const PAUSE_RATIO = 0.4;
/** For removals that are not urgent: the lock is free for three quarters of the time. */
export const LONG_PAUSE_RATIO = 3;
const MIN_PAUSE_MS = 2;

/** The result of one batch. */
interface Batch {
  count: number;
  /** Milliseconds for which the lock was held, without the wait for it. */
  heldMs: number;
}

/**
 * Calls `remove` until it removes less than its limit; resolves to the total.
 * @param targetMs duration that a batch should have: `batchMs` of the store.
 */
export async function inPacedBatches(
  targetMs: number,
  remove: (limit: number) => Promise<Batch>,
  pause = PAUSE_RATIO,
): Promise<number> {
  let total = 0;
  let limit = FIRST_BATCH;
  for (;;) {
    const { count, heldMs } = await remove(limit);
    total += count;
    if (count < limit) return total;
    limit = nextLimit(limit, heldMs, targetMs);
    await delay(Math.max(MIN_PAUSE_MS, heldMs * pause));
  }
}

/** Runs the body of a transaction and adds the milliseconds for which it held the lock. */
function* timed<Result>(body: Transaction<Result>): Transaction<Result & { heldMs: number }> {
  const began = performance.now();
  const result = yield* body;
  return { ...result, heldMs: performance.now() - began };
}

/** At most doubles the limit, because the next rows can be larger. */
function nextLimit(limit: number, heldMs: number, targetMs: number): number {
  const fitting = Math.round(limit * Math.min(2, targetMs / Math.max(heldMs, 0.1)));
  return Math.min(MAX_BATCH, Math.max(MIN_BATCH, fitting));
}
