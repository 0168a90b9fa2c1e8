import { longestDue } from '../../db/statements/deliveries.ts';
import type { Context } from '../context.ts';
import { scanStarts } from '../scan-start.ts';

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
