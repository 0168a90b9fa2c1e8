import { retryLeftOut } from '../../db/statements/deliveries.ts';
import { retrySkipped } from '../../db/statements/search.ts';
import { query } from '../../db/store.ts';
import type { Context } from '../context.ts';
import { ingestJobs, requirePriority } from '../intake/ingest-job.ts';

/**
 * Queues all quarantined mail again, with the priorities of its jobs. Mail that is quarantined
 * again meanwhile stays. Mail that was left out of the search index, and deliveries of mail that
 * was left out, are tried again too. No mail has ended a process before. Resolves to the number of
 * quarantined mails.
 */
export async function retryQuarantined({
  queues,
  store,
  readGuard,
  now,
}: Pick<Context, 'queues' | 'store' | 'readGuard' | 'now'>): Promise<number> {
  await readGuard.forget();
  await store.transaction(function* (tx) {
    yield* query(retrySkipped(tx));
    yield* query(retryLeftOut(tx, new Date(now())));
  });
  let count = 0;
  for (const job of ingestJobs) {
    const queue = await queues.open(job);
    for (const id of await queue.getRanges(['failed'], 0, -1)) {
      const failed = await queue.getJob(id);
      if (!failed || !(await failed.isFailed())) continue; // another command was faster
      await requirePriority(failed);
      await failed.retry();
      count += 1;
    }
  }
  return count;
}
