import { loadConfig } from '../../core/process/run-process.ts';
import { openStore } from '../../db/open.ts';
import { allDomains } from '../../db/statements/workspaces.ts';
import type { Store } from '../../db/store.ts';

export interface FirstWorkspace {
  /** Whether it was created now. */
  isNew: boolean;
  /** A token of the workspace: created now, or BOOTSTRAP_TOKEN; null if its value is unknown. */
  token: string | null;
  /** An SMTP credential of the first mailbox; null if its password is unknown. */
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
  return { isNew: false, token: null, credential: null, domainExists };
}

/**
 * Opens the database alone: this is on the way of each later start. Null with BOOTSTRAP_TOKEN,
 * which is compared with the tokens there.
 */
export async function findExistingWorkspace(): Promise<FirstWorkspace | null> {
  const { database, mailDomain, bootstrap } = loadConfig('script');
  if (bootstrap.token !== null) return null;
  const store = await openStore({ database });
  try {
    return await existingWorkspace(store, mailDomain);
  } finally {
    await store.close();
  }
}
