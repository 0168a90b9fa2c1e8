import { noteCredentialUses } from '../../db/statements/smtp-credentials.ts';
import type { Context } from '../context.ts';
import { USE_INTERVAL_MS } from './use-interval.ts';

/**
 * Writes the uses that SMTP processes recorded since the last call to the database, at most one a
 * minute per credential. A use that cannot be written is lost.
 */
export async function noteUses({ credentials, store }: Pick<Context, 'credentials' | 'store'>) {
  const taken = await credentials.takeUses();
  if (taken.size === 0) return;
  const uses = new Map([...taken].map(([id, usedAt]) => [id, new Date(usedAt)] as const));
  await store.transaction((tx) => noteCredentialUses(tx, uses, USE_INTERVAL_MS));
}
