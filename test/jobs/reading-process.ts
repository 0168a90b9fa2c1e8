/**
 * A process that reads stored mail, and dies when it has read one with the word "deadly":
 * reading-process.ts index, or reading-process.ts deliver DELIVERY...
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../core/config/config.ts';
import { runDelivery } from '../../core/delivery/run-delivery.ts';
import { openLog } from '../../core/log.ts';
import { openContext } from '../../core/open-context.ts';
import { openReadGuard } from '../../core/queue/read-guard.ts';
import { indexMails } from '../../core/search/index-mails.ts';
import type { Store } from '../../db/store.ts';

const [, , job, ...ids] = process.argv;
const config = readConfig(process.env, 'worker');
/** The leases of processes that died before have expired. */
const laterMs = Number(process.env.LATER_MS ?? 0);
const log = openLog(config);
const context = await openContext(config, log, { now: () => Date.now() + laterMs });
const readGuard = openReadGuard(context.redis, config, log, context.metrics.jobs, {
  renewEveryMs: 50,
  deadAfterMs: 150,
});

function dieIfDeadly<Result>(result: Result): Result {
  if (JSON.stringify(result).includes('deadly')) process.kill(process.pid, 'SIGKILL');
  return result;
}
const { store } = context;
const reading: Store = {
  ...store,
  query: async (...args) => dieIfDeadly(await store.query(...args)),
  execute: async (...args) => dieIfDeadly(await store.execute(...args)),
};

const dying = { ...context, store: reading, readGuard };
if (job === 'index') await indexMails(dying);
else {
  const run = async (deliveryId: string): Promise<void> => {
    const { kind } = await runDelivery(dying, { deliveryId, webhookId: 'unknown' });
    if (kind === 'refused') await delay(10).then(() => run(deliveryId));
  };
  await Promise.all(ids.map(run));
}
await readGuard.close();
await context.close();
