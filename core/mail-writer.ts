import { type GroupCommit, openGroupCommit } from '../db/group-commit.js';
import { type MailRows, type StoreResult, storeMails } from '../db/mails.js';
import type { Store } from '../db/store.js';

const MAX_MAILS = 200;
const MAX_BYTES = 8 * 1024 * 1024;

/** Writes mails in group-committed transactions; each expires `ttlMs` after the commit that stores it. */
export function openMailWriter(
  store: Store,
  now: () => number,
  ttlMs: number,
): GroupCommit<MailRows, StoreResult> {
  return openGroupCommit({
    commit: (mails) => {
      const at = now();
      const times = { now: new Date(at), expiresAt: new Date(at + ttlMs) };
      return store.transaction((tx) => storeMails(tx, mails, times));
    },
    weigh: ({ mail }) => mail.size,
    maxItems: MAX_MAILS,
    maxBytes: MAX_BYTES,
  });
}
