/**
 * Adds the jobs of overdue deliveries again, whose jobs were lost in a crash or a loss of Redis
 * data. Existing jobs stay unchanged, so repeating the sweep changes nothing.
 */
import { type DuePosition, overdue } from '../../db/statements/deliveries.ts';
import type { Store } from '../../db/store.ts';
import type { Context } from '../context.ts';
import { requeueDelivery } from './fan-out.ts';
import { oldestDueAt } from './oldest-due.ts';

/** Deliveries overdue by less than this are not checked. */
const GRACE_MS = 30_000;
/** Jobs looked up at once, few enough for the time limit of a Redis command. */
const PAGE = 100;

/**
 * Pages per run; the next run continues there. Deliveries waiting for a slow receiver are also
 * overdue, but have jobs, and there can be any number of them.
 */
const PAGES_A_RUN = 10;

/** Position at which the next run of this process starts. */
const positions = new WeakMap<Store, DuePosition>();

async function beginning(context: Pick<Context, 'store'>): Promise<DuePosition | null> {
  const nextAttemptAt = await oldestDueAt(context);
  return nextAttemptAt ? { nextAttemptAt, id: '' } : null;
}

/** Resolves to the number of deliveries whose job was lost. */
export async function requeueLostDeliveries(
  context: Pick<Context, 'now' | 'queues' | 'store'>,
): Promise<number> {
  const { store } = context;
  const now = new Date(context.now());
  const dueBefore = new Date(now.getTime() - GRACE_MS);
  let added = 0;
  for (let pages = 0; pages < PAGES_A_RUN; pages += 1) {
    const after = positions.get(store) ?? (await beginning(context));
    if (!after) return added;
    const page = await store.ask(overdue, { dueBefore, now, after, limit: PAGE });
    const outcomes = await Promise.all(page.map((row) => requeueDelivery(context, row)));
    added += outcomes.filter((outcome) => outcome === 'added').length;
    const last = page.at(-1);
    if (!last?.nextAttemptAt || page.length < PAGE) {
      positions.delete(store);
      return added;
    }
    positions.set(store, { nextAttemptAt: last.nextAttemptAt, id: last.id });
  }
  return added;
}
