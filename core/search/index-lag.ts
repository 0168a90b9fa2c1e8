import { countUnindexed, pendingMails } from '../../db/statements/search.ts';
import type { Context } from '../context.ts';
import { idTime } from '../ids.ts';

interface IndexLag {
  /** Mails that the index does not have, counted up to 100,000. */
  unindexed: number;
  /**
   * When the oldest mail that waits for the index arrived, in ms since 1970; undefined without one.
   */
  since: number | undefined;
}

/** Counting this many takes milliseconds on both databases. */
const MAX_COUNTED = 100_000;

/** How far the search index is behind the stored mail. */
export async function indexLag({ store }: Pick<Context, 'store'>): Promise<IndexLag> {
  const [[unindexed], [oldest]] = await Promise.all([
    store.ask(countUnindexed, MAX_COUNTED),
    store.ask(pendingMails, 1),
  ]);
  return { unindexed: unindexed?.count ?? 0, since: oldest && idTime(oldest.id) };
}
