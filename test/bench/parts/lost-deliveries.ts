/**
 * The time until the jobs of 200,000 pending deliveries are back that Redis has lost, of 20
 * workspaces with as many as a workspace may have in Redis.
 */
import { deliveryJob } from '../../../core/delivery/jobs.ts';
import { requeueLostDeliveries } from '../../../core/delivery/requeue-lost.ts';
import { insertIgnoring } from '../../../db/store.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import type { Figure } from '../figures.ts';

const WORKSPACES = 20;
const OF_EACH = 10_000;
const FILLED_AT_ONCE = 2000;
const LOOKED_UP_AT_ONCE = 500;
/** Interval of the runs of the worker. */
const RUN_EVERY_MS = 5000;
const DUE_BEFORE_MS = 60_000;
/** The end if jobs are missing for ever. */
const MOST_RUNS = 1000;

/** The pauses between the runs count, but are not waited for. */
export async function lostDeliveries(): Promise<Figure> {
  const test = await openTestContext();
  try {
    await fill(test);
    const all = WORKSPACES * OF_EACH;
    let [added, ms, longest, runs] = [0, 0, 0, 0];
    while (added < all && runs < MOST_RUNS) {
      const began = performance.now();
      added += await requeueLostDeliveries(test.context);
      const took = performance.now() - began;
      longest = Math.max(longest, took);
      ms += Math.max(took, RUN_EVERY_MS);
      runs += 1;
    }
    const present = await countPresent(test);
    const seconds = ms / 1000;
    return {
      work: `${all} lost delivery jobs of ${WORKSPACES} workspaces`,
      result:
        `${present} back after ${seconds.toFixed(0)} s, ${runs} runs every ` +
        `${RUN_EVERY_MS / 1000} s, the longest ${longest.toFixed(0)} ms`,
      values: { present, seconds, runs, longestMs: longest },
    };
  } finally {
    await test.close();
  }
}

/** Deliveries without jobs, as after a loss of the data of Redis. */
async function fill({ context: { store, now } }: TestContext): Promise<void> {
  const createdAt = new Date(now() - DUE_BEFORE_MS);
  for (let w = 0; w < WORKSPACES; w += 1) {
    const [workspaceId, mailboxId, webhookId] = [`wsp_${w}`, `mbx_${w}`, `whk_${w}`];
    const [name, domain] = [`w${w}`, `w${w}.test`];
    await store.transaction(function* (tx) {
      yield* insertIgnoring(tx.t.workspaces, [
        { id: workspaceId, name, domain, plan: 'pro' as const, createdAt },
      ]);
      yield* insertIgnoring(tx.t.mailboxes, [{ id: mailboxId, workspaceId, name, createdAt }]);
      yield* insertIgnoring(tx.t.webhooks, [
        {
          ...{ id: webhookId, mailboxId, url: 'http://x.test/', secret: 'x', createdAt },
          ...{ active: true, abandonedInARow: 0 },
        },
      ]);
    });
    for (let from = 0; from < OF_EACH; from += FILLED_AT_ONCE) {
      await store.transaction(function* (tx) {
        const rows = Array.from({ length: FILLED_AT_ONCE }, (_, n) => ({
          id: idOf(w, from + n),
          webhookId,
          messageId: `msg_${w}_${from + n}`,
          trigger: 'event' as const,
          state: 'pending' as const,
          ...{ attempts: 0, failures: 0, interruptions: 0 },
          nextAttemptAt: createdAt,
          createdAt,
        }));
        yield* insertIgnoring(tx.t.deliveries, rows);
      });
    }
  }
}

async function countPresent({ context: { queues } }: TestContext): Promise<number> {
  let present = 0;
  for (let w = 0; w < WORKSPACES; w += 1) {
    for (let from = 0; from < OF_EACH; from += LOOKED_UP_AT_ONCE) {
      const ids = Array.from({ length: LOOKED_UP_AT_ONCE }, (_, n) => idOf(w, from + n));
      const found = await queues.presence(deliveryJob, ids);
      present += [...found.values()].filter((state) => state !== 'missing').length;
    }
  }
  return present;
}

const idOf = (workspace: number, n: number) => `dlv_${workspace}_${n}`;
