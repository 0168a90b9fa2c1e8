/**
 * Recovery: the held and abandoned deliveries of a webhook become owed again. They may be any number, so the request
 * counts them and adds a recoveryJob, and the job releases them in batches. A released delivery no longer matches, and one
 * that is abandoned again does so after `askedAt`: a run may stop anywhere and be repeated.
 */
import {
  type Recovery,
  countRecoverable,
  recoverable,
  releaseDeliveries,
} from '../../db/statements/deliveries.js';
import { type Db, step } from '../../db/store.js';
import { webhookById } from '../../db/statements/webhooks.js';
import { transactionAs } from '../auth/transaction-as.js';
import type { Context } from '../context.js';
import { type WebhookPlace, requireActive } from './log.js';
import { requeueDeliveries } from './enqueue.js';
import { recoveryJob } from './recovery-job.js';
import type { Caller } from '../auth/caller.js';
import { findWebhook } from '../webhooks/webhooks.js';

/** A request counts no further: on SQLite the count holds the event loop. */
const COUNTED = 10_000;
/** Queued all at once: few enough that no command takes longer than it may. */
const BATCH = 100;
/** A run ends after so many, and the recoveries of other webhooks get their turn before its next one. */
const BATCHES_A_RUN = 20;

/** A recovery and how far it has come. */
export interface RecoveryProgress extends Recovery {
  mailboxId: string;
  /** The id of the last delivery looked at; empty at the beginning. */
  after: string;
  /** How many have been released so far. */
  released: number;
}

/**
 * Adds the job that makes the held and abandoned deliveries created from `since` on owed again, each with the whole
 * schedule before it; those whose message has gone stay as they are. Resolves to how many there are now, counted
 * up to 10,000.
 * @throws {AppError} `not_found`, `webhook_paused`, `unauthorized`, `unavailable`: nothing has been changed then.
 */
export async function recoverDeliveries(
  context: Context,
  caller: Caller,
  { mailboxName, webhookId }: WebhookPlace,
  since: Date,
): Promise<number> {
  const { mailboxId } = await findWebhook(context, caller, mailboxName, webhookId);
  const askedAt = new Date(context.now());
  const recovery = { webhookId, since, askedAt };
  const count = await transactionAs(context, caller, function* (tx) {
    yield* requireActive(tx, mailboxId, webhookId);
    const [found] = yield* step(countRecoverable(tx, recovery, COUNTED));
    return found?.count ?? 0;
  });
  if (count > 0) await enqueue(context, { ...recovery, mailboxId, after: '', released: 0 });
  return count;
}

/** One run of the job; what is left is the next run's. A webhook that is paused or deleted ends the recovery. */
export async function releaseRecoverable(
  context: Context,
  progress: RecoveryProgress,
): Promise<void> {
  let { after, released } = progress;
  for (let batches = 0; batches < BATCHES_A_RUN; batches += 1) {
    const now = new Date(context.now());
    const { ids, rows } = await context.store.transaction((tx) =>
      releaseBatch(tx, { ...progress, after }, now),
    );
    // An abandoned delivery's job is still on show, and must make way.
    await requeueDeliveries(context, rows, released);
    released += rows.length;
    if (ids.length < BATCH) return;
    after = ids.at(-1) ?? after;
  }
  await enqueue(context, { ...progress, after, released });
}

function* releaseBatch(
  tx: Db,
  { mailboxId, webhookId, after, ...recovery }: RecoveryProgress,
  now: Date,
) {
  const [webhook] = yield* step(webhookById(tx, mailboxId, webhookId));
  if (!webhook?.active) return { ids: [], rows: [] };
  const page = { now, after, limit: BATCH };
  const found = yield* step(recoverable(tx, { webhookId, ...recovery }, page));
  const ids = found.map(({ id }) => id);
  const rows = ids.length > 0 ? yield* step(releaseDeliveries(tx, ids, now)) : [];
  return { ids, rows };
}

async function enqueue({ queues }: Context, { since, askedAt, ...progress }: RecoveryProgress) {
  const { webhookId, after } = progress;
  const times = { since: since.getTime(), askedAt: askedAt.getTime() };
  const jobId = [webhookId, times.askedAt, times.since, after || 'start'].join('-');
  await queues.enqueue(recoveryJob, { ...progress, ...times }, jobId);
}
