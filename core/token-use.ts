/**
 * When tokens were last used, written behind the requests: at most once a minute a token over all
 * processes, and the tokens of a moment in one transaction. A use that cannot be written is logged and
 * forgotten; the next request notes another.
 */
import { type Store, step } from '../db/store.js';
import { type TokenRow, markTokensUsed } from '../db/tokens.js';
import { errorText } from './errors.js';
import type { Logger } from './log.js';

const WRITE_EVERY_MS = 60_000;
const GATHER_MS = 200;

export interface TokenUse {
  /** Takes note of a use and returns at once. */
  note: (token: Pick<TokenRow, 'id' | 'lastUsedAt'>) => void;
  /** Writes what is noted. */
  close: () => Promise<void>;
}

export function openTokenUse(store: Store, now: () => number, log: Logger): TokenUse {
  const noted = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (noted.size === 0) return;
    const ids = [...noted];
    noted.clear();
    const usedAt = now();
    try {
      await store.transaction((tx) =>
        step(markTokensUsed(tx, ids, new Date(usedAt), new Date(usedAt - WRITE_EVERY_MS))),
      );
    } catch (error) {
      log.warn('use of tokens not noted', { tokens: ids.length, fault: errorText(error) });
    }
  };

  return {
    note({ id, lastUsedAt }) {
      if (lastUsedAt && lastUsedAt.getTime() > now() - WRITE_EVERY_MS) return;
      noted.add(id);
      timer ??= setTimeout(() => void write(), GATHER_MS);
    },
    close: write,
  };
}
