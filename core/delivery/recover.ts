/**
 * Recovery: held and abandoned deliveries of a webhook become pending again. There can be any
 * number of them, so the request counts them and adds a recoveryJob, and the job changes them in
 * batches. A pending delivery does not match, and one abandoned again is later than `askedAt`, so a
 * run can stop anywhere and be repeated.
 */
import {
  type Recovery,
  countRecoverable,
  recoverable,
  makeDeliveriesPending,
} from '../../db/statements/deliveries.ts';
import { type Db, query } from '../../db/store.ts';
import { workspaceOfMailbox } from '../../db/statements/mailboxes.ts';
import { webhookById } from '../../db/statements/webhooks.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { type WebhookReference, requireActive } from './delivery-log.ts';
import { requeueDeliveries } from './queue-deliveries.ts';
import { recoveryJob } from './jobs.ts';
import type { Caller } from '../auth/caller.ts';
import { requireWebhookRow } from '../webhooks/webhooks.ts';

/** Maximum count in a request: on SQLite, counting blocks the event loop. */
const COUNTED = 10_000;
/** Jobs queued at once, few enough for the time limit of a Redis command. */
const BATCH = 100;
/** Batches per run. Recoveries of other webhooks run between two runs. */
const BATCHES_A_RUN = 20;

/** A recovery and its progress. */
export interface RecoveryProgress extends Recovery {
  mailboxId: string;
  /** Id of the last delivery processed; empty at the start. */
  after: string;
  /** Number of deliveries made pending so far. */
  released: number;
}

/**
 * Adds the job that makes held and abandoned deliveries created since `since` pending again, with a
 * fresh schedule. Deliveries whose message no longer exists are left unchanged. Resolves to their
 * current number, counted up to 10,000.
 * @throws {AppError} `not_found`, `webhook_paused`, `unauthorized`, `unavailable`. Nothing is
 *   changed in these cases.
 */
export async function recoverDeliveries(
  context: Context,
  caller: Caller,
  { mailboxName, webhookId }: WebhookReference,
  since: Date,
): Promise<number> {
  const { mailboxId } = await requireWebhookRow(context, caller, mailboxName, webhookId);
  const askedAt = new Date(context.now());
  const recovery = { webhookId, since, askedAt };
  const count = await transactionAs(context, caller, function* (tx) {
    yield* requireActive(tx, mailboxId, webhookId);
    const [found] = yield* query(countRecoverable(tx, recovery, COUNTED));
    return found?.count ?? 0;
  });
  if (count > 0) await enqueue(context, { ...recovery, mailboxId, after: '', released: 0 });
  return count;
}

/**
 * One run of the job; the next run continues. A webhook that is paused or deleted ends the
 * recovery.
 */
export async function runRecovery(context: Context, progress: RecoveryProgress): Promise<void> {
  let { after, released } = progress;
  const [mailbox] = await context.store.query(workspaceOfMailbox, progress.mailboxId);
  const workspaceId = mailbox?.workspaceId ?? null;
  for (let batches = 0; batches < BATCHES_A_RUN; batches += 1) {
    const now = new Date(context.now());
    const { ids, rows } = await context.store.transaction((tx) =>
      recoverBatch(tx, { ...progress, after }, now),
    );
    // The finished job of an abandoned delivery still exists and is replaced.
    const owed = rows.map((delivery) => ({ delivery, workspaceId }));
    await requeueDeliveries(context, owed, released);
    released += rows.length;
    if (ids.length < BATCH) return;
    after = ids.at(-1) ?? after;
  }
  await enqueue(context, { ...progress, after, released });
}

function* recoverBatch(
  tx: Db,
  { mailboxId, webhookId, after, ...recovery }: RecoveryProgress,
  now: Date,
) {
  const [webhook] = yield* query(webhookById(tx, mailboxId, webhookId));
  if (!webhook?.active) return { ids: [], rows: [] };
  const page = { now, after, limit: BATCH };
  const found = yield* query(recoverable(tx, { webhookId, ...recovery }, page));
  const ids = found.map(({ id }) => id);
  const rows = ids.length > 0 ? yield* query(makeDeliveriesPending(tx, ids, now)) : [];
  return { ids, rows };
}

async function enqueue(
  { queues }: Pick<Context, 'queues'>,
  { since, askedAt, ...progress }: RecoveryProgress,
) {
  const { webhookId, after } = progress;
  const times = { since: since.getTime(), askedAt: askedAt.getTime() };
  const jobId = [webhookId, times.askedAt, times.since, after || 'start'].join('-');
  await queues.enqueue(recoveryJob, { ...progress, ...times }, jobId);
}
