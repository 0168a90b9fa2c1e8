/**
 * Records the time of the last use of each token in the background: at most once per minute and
 * token over all processes, with several tokens per transaction. A failed write is logged and
 * dropped; the next request records another use.
 */
import { type Store, query } from '../../db/store.ts';
import { type TokenRow, markTokensUsed } from '../../db/statements/tokens.ts';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';

const WRITE_INTERVAL_MS = 60_000;
const BATCH_DELAY_MS = 200;

export interface TokenUse {
  /** Records a use and returns at once. */
  record: (token: Pick<TokenRow, 'id' | 'lastUsedAt'>) => void;
  /** Writes the pending uses and resolves when done. */
  flush: () => Promise<void>;
  /** Flushes. Later uses are dropped. */
  close: () => Promise<void>;
}

export function openTokenUse(store: Store, now: () => number, log: Logger): TokenUse {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;

  const write = async () => {
    if (pending.size === 0) return;
    const ids = [...pending];
    pending.clear();
    const usedAt = now();
    try {
      await store.transaction((tx) =>
        query(markTokensUsed(tx, ids, new Date(usedAt), new Date(usedAt - WRITE_INTERVAL_MS))),
      );
    } catch (error) {
      log.warn('token last-used update failed', { tokens: ids.length, fault: errorText(error) });
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };

  return {
    record({ id, lastUsedAt }) {
      if (isClosed) return; // for a request that outlasted the shutdown deadline
      if (lastUsedAt && lastUsedAt.getTime() > now() - WRITE_INTERVAL_MS) return;
      pending.add(id);
      timer ??= setTimeout(() => void flush(), BATCH_DELAY_MS);
    },
    flush,
    async close() {
      isClosed = true;
      await flush();
    },
  };
}
