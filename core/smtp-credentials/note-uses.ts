import { noteCredentialUses } from '../../db/statements/smtp-credentials.js';
import type { Context } from '../context.js';
import { USE_INTERVAL_MS } from './use-interval.js';

/**
 * Writes the uses that the SMTP processes have recorded since the last call, at most one a minute for each credential.
 * A use that cannot be written is dropped; the next one is recorded again.
 */
export async function noteUses({ credentials, store }: Pick<Context, 'credentials' | 'store'>) {
  const taken = await credentials.takeUses();
  if (taken.size === 0) return;
  const uses = new Map([...taken].map(([id, usedAt]) => [id, new Date(usedAt)] as const));
  await store.transaction((tx) => noteCredentialUses(tx, uses, USE_INTERVAL_MS));
}
