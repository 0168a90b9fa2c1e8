/** Jobs for deliveries whose rows are committed. */
import type { DeliveryRow } from '../../db/statements/deliveries.js';
import { deliveryJob } from './delivery-job.js';
import type { Context } from '../context.js';
import { errorText } from '../errors.js';

/** Where a job is that will not run by itself any more. */
const isOver = new Set(['completed', 'failed', 'unknown']);

/** So many jobs are added at once: a command to Redis is given 1.5 s. */
const BATCH = 100;

/** So many deliveries of one mail, or one recovery, stand in the line where all others do. */
const FIRST = 20;
/** The others come one after the other, less often than a worker can make calls. */
const SPACING_MS = 4;

type Queueing = Pick<Context, 'queues' | 'log'>;

/**
 * Adds the jobs of one mail's new deliveries. However many they are, what comes for others does not wait for
 * more than the first of them. A failure is no matter but of time: the rows are there, and the sweep adds
 * what is missing.
 */
export async function queueDeliveries(
  context: Queueing & Pick<Context, 'delivery'>,
  rows: DeliveryRow[],
): Promise<void> {
  const pending = rows.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return;
  try {
    for (let from = 0; from < pending.length; from += BATCH) {
      const batch = pending.slice(from, from + BATCH);
      const jobs = batch.map((row, index) => {
        const job = toJob(row, from + index);
        // Its run would be refused: so many of them at once would hold up the deliveries behind them.
        const refused = context.delivery.limiter.refuseKnownBad(row.webhookId);
        return refused ? { ...job, delayMs: Math.max(job.delayMs, refused.delayMs) } : job;
      });
      await context.queues.enqueueAll(deliveryJob, jobs);
    }
  } catch (error) {
    context.log.warn('deliveries await the sweep', {
      count: pending.length,
      fault: errorText(error),
    });
  }
}

/**
 * The same for deliveries that may have a job already: one that is over makes way, any other stays.
 * @param position of the first of them, among those that are queued for the same reason.
 */
export async function requeueDeliveries(
  context: Queueing,
  rows: DeliveryRow[],
  position: number,
): Promise<void> {
  try {
    await Promise.all(rows.map((row, index) => requeueDelivery(context, row, position + index)));
  } catch (error) {
    context.log.warn('deliveries await the sweep', {
      count: rows.length,
      fault: errorText(error),
    });
  }
}

/** The same for one. @throws {AppError} `unavailable` while Redis is away. */
export async function requeueDelivery(
  { queues }: Pick<Context, 'queues'>,
  row: DeliveryRow,
  position = 0,
): Promise<'added' | 'there'> {
  const state = await queues.stateOf(deliveryJob, row.id);
  if (!isOver.has(state)) return 'there';
  // Also where it is nowhere: what a damaged Redis kept of it would make the addition void.
  await queues.discard(deliveryJob, row.id);
  await queues.enqueueAll(deliveryJob, [toJob(row, position)]);
  return 'added';
}

/**
 * BullMQ takes jobs without a priority first, and then those of the lowest number: the first ones of each
 * mail go before the next ones of any. The next ones are spread over time besides: a worker that is given
 * thousands of webhooks at once would do nothing but put most of them back.
 */
function toJob({ id, webhookId, messageId, attempts }: DeliveryRow, position: number) {
  const payload = { deliveryId: id, webhookId, messageId, attempt: attempts + 1 };
  const delayMs = Math.max(0, position - FIRST) * SPACING_MS;
  return { payload, jobId: id, priority: Math.floor(position / FIRST), delayMs };
}
