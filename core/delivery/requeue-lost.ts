/**
 * Repairs what a crash or a Redis that lost its data left between a delivery's row and its job: what is
 * overdue gets its job again. A job that is there stays as it is, so sweeping twice changes nothing.
 */
import { type DuePosition, overdue } from '../../db/statements/deliveries.js';
import type { Store } from '../../db/store.js';
import type { Context } from '../context.js';
import { requeueDelivery } from './enqueue.js';

/** A delivery overdue by less than this is on its way. */
const GRACE_MS = 30_000;
/** The queue is asked about a page at once: few enough that no answer takes longer than its command may. */
const PAGE = 100;

/**
 * A run ends after so many, and the next one goes on from there: deliveries that wait for a slow receiver
 * are overdue as well, have their jobs, and may be any number.
 */
const PAGES_A_RUN = 10;

const BEGINNING: DuePosition = { nextAttemptAt: new Date(0), id: '' };
/** Where the next run of this process begins. */
const positions = new WeakMap<Store, DuePosition>();

/** Resolves to how many deliveries had lost their job. */
export async function requeueLostDeliveries(
  context: Pick<Context, 'now' | 'queues' | 'store'>,
): Promise<number> {
  const { store } = context;
  const now = new Date(context.now());
  const dueBefore = new Date(now.getTime() - GRACE_MS);
  let added = 0;
  for (let pages = 0; pages < PAGES_A_RUN; pages += 1) {
    const after = positions.get(store) ?? BEGINNING;
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
