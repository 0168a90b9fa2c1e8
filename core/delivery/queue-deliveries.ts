/** Adds the jobs of deliveries whose rows are committed. */
import type { DeliveryRow } from '../../db/statements/deliveries.ts';
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';
import { deliveryJob } from './jobs.ts';

/** A delivery, with the workspace whose quota its job counts against; null if that is gone. */
export interface PendingDelivery {
  delivery: DeliveryRow;
  workspaceId: string | null;
}

/** Number of jobs added at once, limited by the time limit of a Redis command (1.5 s). */
const BATCH = 100;

/** Number of deliveries of one mail or recovery that run with normal priority. */
const FIRST = 20;
/** Interval between the further ones, longer than a worker needs per request. */
const SPACING_MS = 4;
/** Jobs of a batch whose state is looked up in lists, each of which Redis reads to its end. */
const LOOKED_UP = 20;
/** States in which a job does not run again. */
const isOver = new Set(['completed', 'failed', 'unknown']);

type Queueing = Pick<Context, 'queues' | 'delivery'>;
type Logging = Queueing & Pick<Context, 'log'>;

/**
 * Adds the jobs of the new deliveries of one mail. Deliveries of other mails wait for at most the
 * first of them, however many there are. A failure only causes a delay, as an exhausted quota does:
 * the sweep adds jobs that are missing.
 */
export async function queueDeliveries(context: Logging, owed: PendingDelivery[]): Promise<void> {
  const pending = owed.filter(({ delivery }) => delivery.state === 'pending');
  await unlessAway(context, pending.length, async () => {
    for (let from = 0; from < pending.length; from += BATCH) {
      const allowed = await reserved(context, pending.slice(from, from + BATCH), true);
      const jobs = allowed.map((each, index) => {
        const job = toJob(each, turnOf(from + index));
        // The run would be refused, and many such runs delay the deliveries behind them.
        const refused = context.delivery.limiter.refuseFailing(each.delivery.webhookId);
        return refused ? { ...job, delayMs: Math.max(job.delayMs, refused.delayMs) } : job;
      });
      if (jobs.length > 0) await context.queues.enqueueAll(deliveryJob, jobs);
    }
  });
}

/**
 * Same for deliveries that may already have a job.
 * @param position index of the first of them among the deliveries queued for the same reason.
 */
export async function requeueDeliveries(
  context: Logging,
  owed: PendingDelivery[],
  position: number,
): Promise<void> {
  await unlessAway(context, owed.length, () =>
    addMissing(context, owed, (index) => turnOf(position + index)),
  );
}

/** What {@link addMissing} found. */
export interface AddedJobs {
  /** Deliveries whose job was added. */
  added: number;
  /** Deliveries that have a job. */
  present: number;
  /** Workspaces whose quota is exhausted. */
  full: Set<string>;
}

/**
 * Adds the jobs of those of up to 500 deliveries that have none. A finished job is replaced; any
 * other stays.
 * @throws {AppError} `unavailable` if Redis is unavailable.
 */
export async function addMissing(
  context: Queueing,
  owed: PendingDelivery[],
  turn: (index: number) => Turn = () => AFTER_NEW,
): Promise<AddedJobs> {
  const { queues } = context;
  const lost = await withoutJob(context, owed);
  const allowed = await reserved(context, lost, false);
  // Also if the job does not exist: remains of it after a loss of data in Redis would make the
  // addition a no-op.
  await Promise.all(allowed.map(({ delivery }) => queues.discard(deliveryJob, delivery.id)));
  for (let from = 0; from < allowed.length; from += BATCH) {
    const some = allowed.slice(from, from + BATCH);
    const jobs = some.map((each, index) => toJob(each, turn(from + index)));
    await queues.enqueueAll(deliveryJob, jobs);
  }
  const added = new Set(allowed);
  const full = new Set<string>();
  for (const each of lost) {
    if (each.workspaceId !== null && !added.has(each)) full.add(each.workspaceId);
  }
  return { added: added.size, present: owed.length - lost.length, full };
}

async function withoutJob(
  { queues }: Queueing,
  owed: PendingDelivery[],
): Promise<PendingDelivery[]> {
  const ids = owed.map(({ delivery }) => delivery.id);
  const found = await queues.presence(deliveryJob, ids);
  let lookedUp = 0;
  const lost = await Promise.all(
    owed.map(async ({ delivery: { id } }) => {
      const presence = found.get(id) ?? 'missing';
      if (presence !== 'unsure') return presence !== 'scheduled';
      lookedUp += 1;
      return lookedUp <= LOOKED_UP && isOver.has(await queues.stateOf(deliveryJob, id));
    }),
  );
  return owed.filter((_, index) => lost[index]);
}

/** Those of the deliveries whose jobs may be added. */
async function reserved(
  { delivery: { quota } }: Queueing,
  owed: PendingDelivery[],
  isNew: boolean,
): Promise<PendingDelivery[]> {
  const byWorkspace = Map.groupBy(owed, ({ workspaceId }) => workspaceId);
  const allowed = await Promise.all(
    Array.from(byWorkspace, async ([workspaceId, some]) => {
      if (workspaceId === null) return some;
      const ids = some.map(({ delivery }) => delivery.id);
      const found = await quota.reserve(workspaceId, ids, isNew);
      return some.filter(({ delivery }) => found.has(delivery.id));
    }),
  );
  return allowed.flat();
}

async function unlessAway(
  { log }: Logging,
  count: number,
  add: () => Promise<unknown>,
): Promise<void> {
  if (count === 0) return;
  try {
    await add();
  } catch (error) {
    log.warn('delivery jobs not queued, the sweep queues them later', {
      count,
      fault: errorText(error),
    });
  }
}

/** When a job runs among others: those with a lower priority number first. */
interface Turn {
  priority: number;
  delayMs: number;
}

/** After the first jobs of each mail, because there can be any number of lost ones. */
const AFTER_NEW: Turn = { priority: 1, delayMs: 0 };

/**
 * BullMQ runs jobs without a priority first, then those with the lowest number: the first jobs of
 * each mail precede the further ones of any mail. The further ones are also spread over time,
 * because a worker with thousands of webhooks at once would requeue most of them.
 */
function turnOf(position: number): Turn {
  const delayMs = Math.max(0, position - FIRST) * SPACING_MS;
  return { priority: Math.floor(position / FIRST), delayMs };
}

function toJob({ delivery, workspaceId }: PendingDelivery, turn: Turn) {
  const { id, webhookId, messageId, attempts } = delivery;
  const payload = {
    ...{ deliveryId: id, webhookId, messageId, attempt: attempts + 1 },
    ...(workspaceId === null ? {} : { workspaceId }),
  };
  return { payload, jobId: id, ...turn };
}
