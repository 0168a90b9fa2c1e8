/** The database as the source of the directories, and the place of what SMTP recorded in them. */
import { directoryByIds, directoryByNames, directoryPage } from '../../db/statements/mailboxes.ts';
import {
  type CredentialRow,
  credentialPage,
  credentialsByUsername,
  recordCredentialUses,
} from '../../db/statements/smtp-credentials.ts';
import { domainsAfter } from '../../db/statements/workspaces.ts';
import type { Store } from '../../db/store.ts';
import { mailboxAddress } from '../addresses.ts';
import {
  type CredentialDirectory,
  type CredentialEntry,
  type CredentialSource,
  USE_INTERVAL_MS,
} from './credentials.ts';
import type { RecipientEntry, RecipientSource } from './recipients.ts';

const PAGE_SIZE = 1000;

interface MailboxEntryRow {
  id: string;
  name: string;
  expiresAt: Date | null;
  workspaceId: string;
  domain: string;
}

interface CredentialEntryRow {
  credential: CredentialRow;
  mailboxName: string;
  domain: string;
}

/** The database as the source of the recipient directory. */
export function recipientSource(store: Store): RecipientSource {
  return {
    async *domains() {
      let page: string[] = [];
      do {
        const rows = await store.query(domainsAfter, page.at(-1) ?? '', PAGE_SIZE);
        page = rows.map(({ domain }) => domain);
        yield page;
      } while (page.length === PAGE_SIZE);
    },
    async *pages() {
      let page: MailboxEntryRow[] = [];
      do {
        page = await store.query(directoryPage, page.at(-1)?.id ?? '', PAGE_SIZE);
        yield page.map(toRecipient);
      } while (page.length === PAGE_SIZE);
    },
    async find(addresses, mailboxIds) {
      const found = (await store.query(directoryByIds, mailboxIds)).map(toRecipient);
      const known = new Set(found.map(({ address }) => address));
      const others = addresses.filter((address) => !known.has(address));
      if (others.length === 0) return found;
      // No index has names without their workspace: this reads all mailboxes.
      const names = others.map((address) => address.slice(0, address.lastIndexOf('@')));
      const named = await store.query(directoryByNames, [...new Set(names)]);
      return [...found, ...named.map(toRecipient)];
    },
  };
}

/** The database as the source of the credential directory. */
export function credentialSource(store: Store): CredentialSource {
  return {
    async *pages() {
      let page: CredentialEntryRow[] = [];
      do {
        page = await store.query(credentialPage, page.at(-1)?.credential.id ?? '', PAGE_SIZE);
        yield page.map(toCredential);
      } while (page.length === PAGE_SIZE);
    },
    find: async (usernames) =>
      usernames.length === 0
        ? []
        : (await store.query(credentialsByUsername, usernames)).map(toCredential),
  };
}

/** @param address `name@domain` of the credential's mailbox. */
export function credentialEntry(row: CredentialRow, address: string): CredentialEntry {
  const { id, username, passwordSetAt, mailboxId, passwordHash } = row;
  return { id, username, passwordSetAt: passwordSetAt.getTime(), mailboxId, address, passwordHash };
}

/**
 * Writes the uses that SMTP processes recorded since the last call to the database, at most one a
 * minute per credential. A use that cannot be written is lost.
 */
export async function recordUses({
  credentials,
  store,
}: {
  readonly credentials: CredentialDirectory;
  readonly store: Store;
}): Promise<void> {
  const taken = await credentials.drainUses();
  if (taken.size === 0) return;
  const uses = new Map([...taken].map(([id, usedAt]) => [id, new Date(usedAt)] as const));
  await store.transaction((tx) => recordCredentialUses(tx, uses, USE_INTERVAL_MS));
}

function toRecipient(row: MailboxEntryRow): RecipientEntry {
  const { id, name, expiresAt, workspaceId, domain } = row;
  const address = mailboxAddress(name, domain);
  return { address, mailboxId: id, workspaceId, expiresAt: expiresAt?.getTime() ?? null };
}

function toCredential({ credential, mailboxName, domain }: CredentialEntryRow): CredentialEntry {
  return credentialEntry(credential, mailboxAddress(mailboxName, domain));
}
