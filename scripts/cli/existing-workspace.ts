import { loadConfig } from '../../core/process/run-process.js';
import { openStore } from '../../db/open.js';
import { allDomains } from '../../db/statements/workspaces.js';
import type { FirstWorkspace } from './create-first-workspace.js';

/**
 * What {@link createFirstWorkspace} returns if a workspace exists, otherwise null. Opens the
 * database alone: this is on the way of each later start.
 */
export async function existingWorkspace(): Promise<FirstWorkspace | null> {
  const { database, mailDomain } = loadConfig('script');
  const store = await openStore({ database });
  try {
    const domains = await store.ask(allDomains);
    if (domains.length === 0) return null;
    const domainExists = domains.some(({ domain }) => domain === mailDomain);
    return { token: null, credential: null, domainExists };
  } finally {
    await store.close();
  }
}
