/** How many mails the search index does not have. */
import { countUnindexed } from '../../db/statements/search.ts';
import type { Context } from '../context.ts';
import { idTime } from '../ids.ts';
import { scanStarts } from '../scan-start.ts';

/** Counting this many takes milliseconds on both databases. */
const MAX_COUNTED = 100_000;
/** The id of a mail is older than its row, by the time for which the mail waited to be stored. */
const FULL_SCAN_MS = 30_000;
const starts = scanStarts('', FULL_SCAN_MS);

interface Unindexed {
  /** Mails that the index does not have, counted up to the limit. */
  unindexed: number;
  /**
   * When the oldest mail that waits for the index arrived, in ms since 1970; undefined without one.
   */
  since: number | undefined;
}

/**
 * How far the search index is behind the stored mail. A mail that waited to be stored while newer
 * ones were is counted within 30 s.
 */
export async function indexLag(
  { store }: Pick<Context, 'store'>,
  limit = MAX_COUNTED,
): Promise<Unindexed> {
  const start = starts(store);
  const [found] = await store.query(countUnindexed, limit, start.next());
  if (found?.first) start.set(found.first);
  return { unindexed: found?.count ?? 0, since: found?.next ? idTime(found.next) : undefined };
}
