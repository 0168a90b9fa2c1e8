import { loadConfig } from '../../core/process/run-process.ts';
import { openStore } from '../../db/open.ts';
import { allDomains } from '../../db/statements/workspaces.ts';
import type { Store } from '../../db/store.ts';

export interface FirstWorkspace {
  /** Token of the workspace that was created; null if one existed. */
  token: string | null;
  /** SMTP credential of the first mailbox; null unless it was created now. */
  credential: { username: string; password: string } | null;
  /** Whether a workspace has the domain of MAIL_DOMAIN. */
  domainExists: boolean;
}

/** Null for an empty database. */
export async function existingWorkspace(
  store: Pick<Store, 'query'>,
  mailDomain: string,
): Promise<FirstWorkspace | null> {
  const domains = await store.query(allDomains);
  if (domains.length === 0) return null;
  const domainExists = domains.some(({ domain }) => domain === mailDomain);
  return { token: null, credential: null, domainExists };
}

/** Opens the database alone: this is on the way of each later start. */
export async function findExistingWorkspace(): Promise<FirstWorkspace | null> {
  const { database, mailDomain } = loadConfig('script');
  const store = await openStore({ database });
  try {
    return await existingWorkspace(store, mailDomain);
  } finally {
    await store.close();
  }
}
