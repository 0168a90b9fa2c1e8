/**
 * Adds the jobs of overdue deliveries that have none: they were lost in a crash or a loss of Redis
 * data, or the quota of their workspace was exhausted. Existing jobs stay unchanged, so repeating
 * the sweep changes nothing.
 */
import { type DuePosition, overdue, longestDue } from '../../db/statements/deliveries.ts';
import type { Store } from '../../db/store.ts';
import type { Context } from '../context.ts';
import { deliveryJob } from './jobs.ts';
import { addMissing } from './queue-deliveries.ts';
import { scanStarts } from '../scan-start.ts';

/** Deliveries overdue by less than this are not checked. */
const GRACE_MS = 30_000;
/** Jobs looked up at once, few enough for the time limit of a Redis command. */
const PAGE = 500;

/**
 * Deliveries of a run; the next run continues there. Deliveries that wait for a slow receiver are
 * also overdue, but have jobs, and there can be any number of them: a run ends early among them.
 * Runs start every 5 s, so 200,000 lost jobs are back within a minute, and behind 100,000 others
 * within five.
 */
const PAGES_A_RUN = 40;
const PRESENT_A_RUN = 2000;

/** Position at which the next run of this process starts. */
const positions = new WeakMap<Store, DuePosition>();

type Sweeping = Pick<Context, 'delivery' | 'now' | 'queues' | 'store'>;

/** Resolves to the number of deliveries whose job was added. */
export async function requeueLostDeliveries(context: Sweeping): Promise<number> {
  const { store } = context;
  const now = new Date(context.now());
  const dueBefore = new Date(now.getTime() - GRACE_MS);
  const full = new Set<string>();
  let [added, present] = [0, 0];
  for (let pages = 0; pages < PAGES_A_RUN && present < PRESENT_A_RUN; pages += 1) {
    const after = positions.get(store) ?? (await beginning(context));
    if (!after) break;
    const page = await store.query(overdue, { dueBefore, now, after, limit: PAGE });
    const missing = await addMissing(context, page);
    added += missing.added;
    present += missing.present;
    for (const workspaceId of missing.full) full.add(workspaceId);
    const last = page.at(-1)?.delivery;
    if (!last?.nextAttemptAt || page.length < PAGE) {
      positions.delete(store);
      break;
    }
    positions.set(store, { nextAttemptAt: last.nextAttemptAt, id: last.id });
  }
  for (const workspaceId of full) await releaseEnded(context, workspaceId);
  return added;
}

async function beginning(context: Sweeping): Promise<DuePosition | null> {
  const nextAttemptAt = await oldestDueAt(context);
  return nextAttemptAt ? { nextAttemptAt, id: '' } : null;
}

/** Releases what a process that crashed had reserved for jobs that do not exist. */
async function releaseEnded(
  { delivery: { quota }, queues }: Sweeping,
  workspaceId: string,
): Promise<void> {
  const found = await queues.presence(deliveryJob, await quota.sample(workspaceId));
  const ended = [...found].filter(([, state]) => state === 'missing' || state === 'finished');
  await quota.release(
    workspaceId,
    ended.map(([id]) => id),
  );
}

/** Due times only increase, except by differences between the clocks of processes. */
const FULL_SCAN_MS = 600_000;
const starts = scanStarts(new Date(0), FULL_SCAN_MS);

/** The due time of the oldest open attempt; undefined if there is none. */
export async function oldestDueAt({ store }: Pick<Context, 'store'>): Promise<Date | undefined> {
  const start = starts(store);
  const [longest] = await store.query(longestDue, start.next());
  if (!longest?.nextAttemptAt) return undefined;
  start.set(longest.nextAttemptAt);
  return longest.nextAttemptAt;
}
